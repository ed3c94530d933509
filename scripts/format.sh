#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Formats all sources as .clang-format says; with --check only names the files that differ. Exit code 77: no clang-format 14.
# Only version 14 counts, because the same settings give another text with another version.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

tool=
for name in clang-format-14 clang-format; do
    if command -v "$name" >/dev/null && "$name" --version | grep -q 'version 14\.'; then
        tool=$name
        break
    fi
done
if [[ -z $tool ]]; then
    echo "clang-format 14 is not installed (Debian 12: clang-format); nothing was checked."
    exit 77
fi

mapfile -d '' -t files < <(find engine physics compute render samples tests third_party -type f \
    \( -name '*.h' -o -name '*.hpp' -o -name '*.cpp' \) -print0 | sort -z)
if [[ ${1:-} != --check ]]; then
    "$tool" -i "${files[@]}"
    exit 0
fi
bad=0
for file in "${files[@]}"; do
    if ! "$tool" --dry-run -Werror "$file" 2>/dev/null; then
        echo "$file is not formatted: run scripts/format.sh"
        bad=1
    fi
done
echo "${#files[@]} files looked at with $("$tool" --version)"
exit "$bad"

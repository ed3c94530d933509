#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Installs what is missing, builds the release and runs the proxima program.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

if [[ ${1:-} == --help || ${1:-} == -h ]]; then
    cat <<'HELP'
usage: ./run.sh [ARGUMENTS...]

Installs the missing packages of packages.txt (Debian, with root or sudo), builds the preset
`release` into build/release, and runs the program `proxima`.

  ./run.sh                     with a display: the editor. Without: a tower of twenty boxes for ten seconds,
                               report in out/report.json, and a picture of a pile in out/picture.png
  ./run.sh ARGUMENTS...        proxima with these arguments, in the folder you are in
  ./run.sh list                scenes, solvers and friction sets
  ./run.sh run --help          what a run can be told

Stages and failures are told on stderr; build logs stay in build/logs/.
HELP
    exit 0
fi

# shellcheck source=scripts/setup.sh
source "$here/scripts/setup.sh"
px_prepare_logs
px_install_packages
px_check_tools
px_configure release
px_build release proxima

proxima=$px_root/build/release/bin/proxima
if (($# > 0)); then
    exec "$proxima" "$@"
fi
# An editor wants a display, a Vulkan device and a build with windows; where one is missing it says so, and the run follows.
if [[ -n ${DISPLAY:-}${WAYLAND_DISPLAY:-} ]]; then
    px_stage run "proxima edit"
    if "$proxima" edit; then exit 0; fi
fi
mkdir -p "$px_root/out"
px_stage run "proxima run tower20 --steps 600 --report out/report.json"
cd "$px_root"
"$proxima" run tower20 --steps 600 --report out/report.json
px_stage run "proxima run pile4096 --steps 200 --picture out/picture.png"
# A machine that cannot draw has run all the same: the program says what is missing.
"$proxima" run pile4096 --steps 200 --picture out/picture.png --quiet && echo "the picture is in out/picture.png" || true

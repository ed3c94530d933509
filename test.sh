#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Installs what is missing, builds the tests and runs them. The last line counts them.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

usage() {
    cat <<'HELP'
usage: ./test.sh [--fast | --nightly | --all | --preset NAME]

Installs the missing packages of packages.txt (Debian, with root or sudo), builds and tests.

  ./test.sh                 the tests in the preset `relassert`: optimised, all asserts alive
  ./test.sh --fast          the quick ones only
  ./test.sh --nightly       those of ./test.sh and the proofs that take minutes: heaps and stacks on the GPU, each header alone
  ./test.sh --all           those of --nightly in relassert, debug and scalar; the quick ones under the sanitizers
  ./test.sh --preset NAME   those of --nightly in one preset of CMakePresets.json

The last line reads: N passed, M failed, K skipped. The exit code is 0 when M is 0.
Logs stay in build/logs/.
HELP
}

mode=default
preset=
while (($# > 0)); do
    case $1 in
        -h | --help)
            usage
            exit 0
            ;;
        --fast | --nightly | --all) mode=${1#--} ;;
        --preset)
            (($# >= 2)) || { echo "--preset needs a name from CMakePresets.json." >&2; exit 2; }
            mode=preset preset=$2
            shift
            ;;
        *)
            echo "Unknown argument '$1': ./test.sh --help lists what there is." >&2
            exit 2
            ;;
    esac
    shift
done

# shellcheck source=scripts/setup.sh
source "$here/scripts/setup.sh"

passed=0 failed=0 skipped=0
# A stage that ends the script early counts as one failure, so that the last line never looks green by accident.
finish() {
    local code=$?
    ((code == 0 || failed > 0)) || failed=1
    echo "$passed passed, $failed failed, $skipped skipped"
    ((failed == 0)) || exit 1
}
trap finish EXIT

# run_tests PRESET LABEL: LABEL is quick, all (quick and thorough) or nightly (those, too)
run_tests() {
    local start=$SECONDS log=$px_logs/$1-$2-tests.log results
    local arguments=(--preset "$1" --parallel 2 --no-tests=error)
    local table=$px_root/build/$1/conformance_table.txt
    local device=$px_root/build/$1/gpu_device.txt
    rm -f "$table" "$device"
    case $2 in
        all) arguments+=(--label-regex '^(quick|thorough)$') ;;
        nightly) ;;
        *) arguments+=(--label-regex "^$2\$") ;;
    esac
    (cd "$px_root" && ctest "${arguments[@]}") 2>&1 | tee "$log" | px_watch "tested" || true

    # One line per test: "  3/34 Test  #7: name .....   Passed    0.01 sec"; skipped and failed ones carry stars.
    results=$(grep -E '^ *[0-9]+/[0-9]+ Test +#[0-9]+: ' "$log" || true)
    local all ok skip
    all=$(grep -c . <<<"$results" || true)
    ok=$(grep -cE ' Passed +[0-9.]+ sec' <<<"$results" || true)
    skip=$(grep -cE '\*\*\*(Skipped|Not Run \(Disabled\)) ' <<<"$results" || true)
    if ((all == 0)); then
        px_fail "No test ran in '$1'; the log above says why." "$log"
    fi
    passed=$((passed + ok)) skipped=$((skipped + skip)) failed=$((failed + all - ok - skip))
    px_stage "tests $1 ($2)" "$ok of $all passed, $((SECONDS - start)) s"
    # The table of every solver on every canonical problem counts itself in its last line.
    [[ ! -s $table ]] || tail -n 1 "$table"
    # Which device the GPU tests ran on, or that there was none.
    if [[ -s $device ]]; then
        tail -n 1 "$device"
    elif grep -q '^ *[0-9]*/[0-9]* Test *#[0-9]*: gpu: .*\*\*\*Skipped' "$log"; then
        echo "GPU tests skipped: no Vulkan device"
    fi
    if ((all > ok + skip)); then
        sed -n '/^The following tests FAILED/,$p' "$log" | grep -vE '^$|Errors while running' >&2 || true
        px_say "What they said is in $log."
        print_failures "$log"
    fi
}

# print_failures LOG: the output of failed tests, cut to what fits on a few screens
print_failures() {
    awk '/^ *[0-9]+\/[0-9]+ Test +#/ { show = ($0 ~ /\*\*\*/ && $0 !~ /\*\*\*Skipped/) } /^[0-9]+% tests passed/ { show = 0 }
         show && lines++ < 200 { print }' "$1" >&2
}

# check PRESET LABEL TARGET...
check() {
    px_configure "$1"
    px_build "$1" "${@:3}"
    run_tests "$1" "$2"
}

px_prepare_logs
px_install_packages
px_check_tools
case $mode in
    fast) check relassert quick tests_quick ;;
    default) check relassert all tests_all ;;
    nightly) check relassert nightly tests_all tests_nightly ;;
    all)
        check relassert nightly all
        check debug nightly all
        check scalar nightly all
        for sanitizer in asan ubsan tsan; do check "$sanitizer" quick tests_quick; done
        ;;
    preset)
        grep -q "\"name\": \"$preset\"" "$px_root/CMakePresets.json" ||
            px_fail "There is no preset '$preset': CMakePresets.json has $(grep -oE '"name": "[a-z]+"' "$px_root/CMakePresets.json" | cut -d'"' -f4 | sort -u | grep -v base | paste -sd' ')."
        check "$preset" nightly all
        ;;
esac

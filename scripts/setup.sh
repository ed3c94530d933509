#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What run.sh and test.sh share; sourced by them, never run alone. Installs missing packages, checks the machine, configures
# and builds a preset. Stages are announced on stderr with the seconds they took, so that stdout stays the program's own;
# everything else goes to build/logs/, and the end of the log is shown when a stage fails.

px_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
px_logs=$px_root/build/logs
px_needed_mb=2000 # free disk space for a build from nothing
px_cmake_at_least=3.25
px_gcc_at_least=12
px_clang_at_least=16

export LC_ALL=C
exec </dev/null # nothing here asks questions

if [[ -t 2 && -z ${CI:-} && -z ${NO_COLOR:-} ]]; then
    px_terminal=1 px_bold=$'\e[1m' px_red=$'\e[31m' px_plain=$'\e[0m'
else
    px_terminal=0 px_bold='' px_red='' px_plain=''
fi

px_say() { printf '%s\n' "$*" >&2; }
px_stage() { px_say "${px_bold}$1${px_plain}${2:+: $2}"; }

# px_fail SENTENCE [LOG]: ends the script with one sentence, after the end of the log if there is one.
px_fail() {
    if [[ -n ${2:-} && -s $2 ]]; then
        px_say "---- the end of $2 ----"
        tail -n 40 "$2" >&2
        px_say "----"
    fi
    px_say "${px_red}${1}${px_plain}"
    exit 1
}

# px_at_least VERSION MINIMUM
px_at_least() { [[ $(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1) == "$2" ]]; }

px_prepare_logs() {
    if ! mkdir -p "$px_logs" 2>/dev/null || [[ ! -w $px_logs ]]; then
        px_fail "The folder $px_root cannot be written; copy the project to a place of your own and start again."
    fi
    # ccache needs a home; where there is none it lives beside the builds.
    [[ -n ${CCACHE_DIR:-} || -w ${HOME:-/nonexistent} ]] || export CCACHE_DIR=$px_root/build/ccache
}

# ---- packages ---------------------------------------------------------------------------------------------

# px_packages [all|required]: names from packages.txt
px_packages() {
    local line
    while IFS= read -r line || [[ -n $line ]]; do
        [[ ${1:-all} == required && $line == *'# optional'* ]] && continue
        line=${line%%#*}
        line=${line//[[:space:]]/}
        [[ -z $line ]] || printf '%s\n' "$line"
    done <"$px_root/packages.txt"
}

# px_missing [all|required]: names from packages.txt that are not installed
px_missing() {
    local names installed name
    mapfile -t names < <(px_packages "$1")
    # shellcheck disable=SC2016 # ${...} is dpkg's
    installed=$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' "${names[@]}" 2>/dev/null || true)
    for name in "${names[@]}"; do
        grep -qxF "installed $name" <<<"$installed" || printf '%s\n' "$name"
    done
}

# px_explain_apt LOG: one sentence for what apt-get said
px_explain_apt() {
    if grep -qiE 'no space left|not enough free space' "$1"; then
        echo "The disk is full: packages could not be installed."
    elif grep -qiE 'unable to locate package|has no installation candidate' "$1"; then
        echo "This release of the system does not offer $(grep -oiE "package '?[a-z0-9.+-]+'?" "$1" | sort -u | tail -n 1), and Proxima needs it; Debian 12 or newer has it."
    elif grep -qiE 'could not resolve|temporary failure|could not connect|connection (failed|timed out|refused)|network is unreachable|failed to fetch' "$1"; then
        echo "The package server cannot be reached: check the network (and proxy), then start again."
    elif grep -qiE 'could not get lock|unable to acquire' "$1"; then
        echo "Another program is installing packages: wait for it to end, then start again."
    else
        echo "Installing packages failed; the log above says why."
    fi
}

px_install_packages() {
    local start=$SECONDS log=$px_logs/packages.log missing required root=()
    if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
        px_stage packages "this system has no apt-get, so nothing is installed; needed, by their Debian names: $(px_packages | paste -sd' ')"
        return 0
    fi
    mapfile -t missing < <(px_missing all)
    if ((${#missing[@]} == 0)); then
        px_stage packages "all there"
        return 0
    fi
    mapfile -t required < <(px_missing required)
    if [[ $(id -u) != 0 ]]; then
        if command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
            root=(sudo -n)
        elif ((${#required[@]} == 0)); then
            px_stage packages "going on without ${missing[*]}, which only make builds faster"
            return 0
        else
            px_fail "Packages are missing and this user may not install them (no root, no sudo without password): ask for 'apt-get install ${required[*]}', then start again."
        fi
    fi
    px_stage packages "installing ${missing[*]}"
    local apt=("${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=120 -o Acquire::Retries=2)
    # An update that fails is not the end: the lists of before may be good enough. Its complaint stays in the log.
    "${apt[@]}" update >"$log" 2>&1 || true
    if ! "${apt[@]}" install --no-install-recommends "${missing[@]}" >>"$log" 2>&1; then
        px_fail "$(px_explain_apt "$log")" "$log"
    fi
    px_stage packages "${#missing[@]} installed, $((SECONDS - start)) s"
}

# ---- the machine ------------------------------------------------------------------------------------------

# px_check_space PRESET: a first build needs room; a later one hardly any
px_check_space() {
    local needed=$px_needed_mb free
    [[ -e $px_root/build/$1/build.ninja ]] && needed=300
    free=$(df -Pk "$px_root" | awk 'NR == 2 { print int($4 / 1024) }')
    ((free >= needed)) ||
        px_fail "The disk is nearly full: $free MB are free at $px_root, and the build '$1' needs about $needed MB."
}

px_check_tools() {
    local tool version compiler=${CXX:-c++}
    for tool in cmake ninja "${compiler%% *}"; do
        command -v "$tool" >/dev/null ||
            px_fail "The program '$tool' is needed and not there; on Debian it comes with: $(px_packages required | head -n 3 | paste -sd' ')."
    done
    version=$(cmake --version | awk 'NR == 1 { print $3 }')
    px_at_least "$version" "$px_cmake_at_least" ||
        px_fail "CMake $version is too old: Proxima needs $px_cmake_at_least or newer."
    # shellcheck disable=SC2086 # CXX may hold a launcher and a compiler
    version=$($compiler -dumpfullversion 2>/dev/null || $compiler -dumpversion 2>/dev/null)
    # shellcheck disable=SC2086
    if $compiler --version 2>/dev/null | grep -qi clang; then
        px_at_least "$version" "$px_clang_at_least" ||
            px_fail "clang $version is too old: Proxima needs clang $px_clang_at_least or g++ $px_gcc_at_least."
    else
        px_at_least "$version" "$px_gcc_at_least" ||
            px_fail "g++ $version is too old: Proxima needs g++ $px_gcc_at_least or clang $px_clang_at_least."
    fi
}

# ---- configure and build ------------------------------------------------------------------------------------

# px_watch LABEL: reads lines beginning "[done/total]" and shows how far it is: in place on a terminal, else now and then.
px_watch() {
    local line start=$SECONDS last=$SECONDS
    while IFS= read -r line; do
        [[ $line =~ ^\ *\[?([0-9]+)/([0-9]+) ]] || continue
        if ((px_terminal)); then
            printf '\r  %s %d of %d, %d s ' "$1" "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}" $((SECONDS - start)) >&2
        elif ((SECONDS - last >= 20)); then
            last=$SECONDS
            px_say "  $1 ${BASH_REMATCH[1]} of ${BASH_REMATCH[2]}, $((SECONDS - start)) s"
        fi
    done
    ((px_terminal)) && printf '\r\e[K' >&2
    return 0
}

# px_configure PRESET
px_configure() {
    local start=$SECONDS log=$px_logs/$1-configure.log
    px_check_space "$1"
    (cd "$px_root" && cmake --preset "$1") >"$log" 2>&1 || {
        if grep -q 'does not match the source' "$log"; then
            px_fail "build/$1 was made for another folder: delete it and start again." "$log"
        fi
        px_fail "Configuring '$1' failed; the log above names what is missing." "$log"
    }
    px_stage "configure $1" "$((SECONDS - start)) s"
}

# px_build PRESET TARGET...
px_build() {
    local preset=$1 start=$SECONDS log=$px_logs/$1-build.log
    shift
    if ! (cd "$px_root" && NINJA_STATUS='[%f/%t] ' cmake --build --preset "$preset" --target "$@") 2>&1 | tee "$log" | px_watch "compiled"; then
        if grep -qi 'no space left on device' "$log"; then
            px_fail "The disk is full: the build '$preset' could not be written." "$log"
        elif grep -qiE 'killed signal|cannot allocate memory' "$log"; then
            px_fail "The memory is full: the compiler was stopped; close other programs, or set CMAKE_BUILD_PARALLEL_LEVEL=1." "$log"
        fi
        px_fail "Building '$preset' failed; the whole log is in $log." "$log"
    fi
    px_stage "build $preset" "$((SECONDS - start)) s"
}

#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The scripts on machines that lack something: each must end with one sentence that says what. The machines are made
# of stand-ins: a PATH that holds the usual tools, and fakes for the ones that a case is about.
# shellcheck disable=SC2016 # the texts of the fakes are expanded when they run
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
failures=0

# The project seen through a path with a space, with build folders of its own.
project="$stage/a project"
mkdir -p "$project"
cp -R "$root/scripts" "$root/run.sh" "$root/test.sh" "$root/packages.txt" "$root/CMakePresets.json" "$root/.ci" "$project/"

# machine: a fresh folder of fakes in front of the usual tools; `fake NAME SCRIPT` puts one in, `hide NAME` takes one away.
machine() {
    rm -rf "${stage:?}/bin" "${project:?}/build"
    mkdir -p "$stage/bin"
    local tool place
    for tool in bash env dirname basename cat grep sed awk mawk gawk head tail tee sort paste cut tr mkdir rm df printf mktemp find ls uname rmdir; do
        place=$(command -v "$tool") && [[ $place == /* ]] && ln -sf "$place" "$stage/bin/$tool"
    done
    fake id 'echo 0'
    fake c++ 'case $1 in -dump*) echo 12.2.0 ;; *) echo "c++ (GNU) 12.2.0" ;; esac'
    fake ninja 'echo 1.11'
    fake cmake 'echo "cmake version 3.25.1"'
    fake dpkg-query 'shift 2; for name; do echo "installed $name"; done'
    fake apt-get 'exit 0'
}
fake() {
    rm -f "$stage/bin/$1"
    printf '#!%s\n%s\n' "$(command -v bash)" "$2" >"$stage/bin/$1"
    chmod +x "$stage/bin/$1"
}
hide() { rm -f "$stage/bin/$1"; }

# expect CODE TEXT COMMAND...: runs the command on the machine from another folder; code and text must be there, and a text
# that counts tests must be the whole last line.
expect() {
    local code=0 output output_end='' wanted_code=$1 wanted=$2
    shift 2
    output=$(cd "$stage" && PATH="$stage/bin" CXX='' CI=true "$@" 2>&1) || code=$?
    [[ $wanted != *' skipped' ]] || output_end=$(tail -n 1 <<<"$output")
    if [[ $code == "$wanted_code" && $output == *"$wanted"* && ( $wanted != *' skipped' || $output_end == "$wanted" ) ]]; then
        echo "ok: $wanted"
    else
        echo "FAILED: $* ended with code $code, expected $wanted_code and the text '$wanted'; it said:"
        echo "$output"
        failures=$((failures + 1))
    fi
}
run="$project/run.sh" test="$project/test.sh" bare="$project/scripts/bare_debian.sh"

machine
expect 0 "usage: ./run.sh" "$run" --help
expect 0 "usage: ./test.sh" "$test" --help
expect 2 "Unknown argument '--quick'" "$test" --quick
expect 2 "--preset needs a name" "$test" --preset
expect 1 "There is no preset 'fastest': CMakePresets.json has asan clang debug" "$test" --preset fastest

machine
fake dpkg-query 'exit 1'
fake apt-get 'echo "E: Failed to fetch something  Temporary failure resolving the host" >&2; exit 100'
expect 1 "The package server cannot be reached" "$run"
expect 1 "0 passed, 1 failed, 0 skipped" "$test"
fake apt-get 'echo "E: Unable to locate package libglm-dev" >&2; exit 100'
expect 1 "does not offer package libglm-dev" "$run"
fake apt-get 'echo "dpkg: error: No space left on device" >&2; exit 100'
expect 1 "The disk is full: packages could not be installed." "$run"

machine
fake id 'echo 1000'
fake dpkg-query 'exit 1'
hide sudo
expect 1 "this user may not install them" "$run"
fake sudo 'exit 1'
expect 1 "ask for 'apt-get install build-essential cmake" "$run"
fake dpkg-query 'shift 2; for name; do [[ $name == ccache ]] || echo "installed $name"; done'
fake cmake 'echo "cmake version 3.18.4"'
expect 1 "going on without ccache" "$run"

machine
fake id 'echo 1000'
fake sudo 'shift; [[ $1 == true ]] || { echo "sudo: $*" >>"'"$stage"'/sudo.log"; exit 0; }'
fake dpkg-query 'shift 2; for name; do [[ $name == mold ]] || echo "installed $name"; done'
fake cmake 'echo "cmake version 3.18.4"'
expect 1 "installing mold" "$run"
grep -q 'install --no-install-recommends mold$' "$stage/sudo.log" || { echo "FAILED: sudo was not asked to install exactly mold"; failures=$((failures + 1)); }

machine
hide apt-get
hide cmake
expect 1 "this system has no apt-get, so nothing is installed; needed, by their Debian names: build-essential cmake" "$run"
expect 1 "The program 'cmake' is needed and not there" "$run"

machine
fake cmake 'echo "cmake version 3.18.4"'
expect 1 "CMake 3.18.4 is too old: Proxima needs 3.25 or newer." "$run"

machine
fake c++ 'case $1 in -dump*) echo 10.2.1 ;; *) echo "c++ (GNU) 10.2.1" ;; esac'
expect 1 "g++ 10.2.1 is too old" "$run"
fake c++ 'case $1 in -dump*) echo 14.0.6 ;; *) echo "clang version 14.0.6" ;; esac'
expect 1 "clang 14.0.6 is too old" "$run"

machine
fake df 'echo "Filesystem 1024-blocks Used Available Capacity Mounted on"; echo "x 100 50 51200 50% /"'
expect 1 "The disk is nearly full: 50 MB are free" "$run"

machine
fake cmake '[[ $1 == --version ]] && echo "cmake version 3.25.1" && exit 0; echo "Proxima needs TBB."; exit 1'
expect 1 "Proxima needs TBB." "$run"
expect 1 "0 passed, 1 failed, 0 skipped" "$project/.ci/run" --fast

# Counting: a build that succeeds and a ctest that reports one of each kind.
machine
fake ctest 'echo "1/3 Test #1: a: one ......   Passed    0.01 sec"; echo "2/3 Test #2: a: two ......***Failed    0.01 sec"; echo "3/3 Test #3: a: three ....***Skipped   0.01 sec"; exit 8'
expect 1 "1 passed, 1 failed, 1 skipped" "$test" --fast
fake ctest 'echo "1/2 Test #1: a: one ......   Passed    0.01 sec"; echo "2/2 Test #2: a: three ....***Skipped   0.01 sec"'
expect 0 "1 passed, 0 failed, 1 skipped" "$test"
fake ctest 'echo "No tests were found!!!"; exit 8'
expect 1 "0 passed, 1 failed, 0 skipped" "$test"

# A Debian of its own: what is missing, and where packages and keys come from, in both ways that apt writes it.
machine
expect 0 "usage: scripts/bare_debian.sh" "$bare" --help
expect 1 "Unknown argument '--fast'" "$bare" --fast
expect 1 "The program 'debootstrap' is needed and not there: apt-get install debootstrap." "$bare"
fake id 'echo 1000'
expect 1 "Making a Debian needs root" "$bare"

machine
bare_folder="$stage/bare"
fake debootstrap 'echo "debootstrap $*"; [[ $* != *--keyring='"$stage"'/second.gpg*http://second/* ]] || mkdir -p "'"$bare_folder"'/system/etc/apt/apt.conf.d"'
for tool in git install mount apt-config; do fake "$tool" 'exit 0'; done
fake chroot 'cat "$1/etc/apt/sources.list"; echo "there: $*"; exit 7'
fake unshare 'exit 1'
expect 1 "This machine allows no namespaces" "$bare" --folder "$bare_folder"
fake unshare 'while [[ $1 == --* ]]; do shift; done; "$@"'
fake apt-get 'echo "http://elsewhere/ubuntu jammy main /nowhere.list:1 Ubuntu"'
expect 1 "name no Debian 12 (bookworm)" "$bare" --folder "$bare_folder"
touch "$stage/first.gpg" "$stage/second.gpg"
printf 'deb [signed-by=%s/first.gpg] a a a\n# two\ndeb [arch=amd64 signed-by=%s/second.gpg] b b b\n' "$stage" "$stage" >"$stage/one.list"
printf 'Types: deb\nSigned-By: %s/first.gpg\n\nTypes: deb\nSigned-By: %s/second.gpg\nURIs: b\n' "$stage" "$stage" >"$stage/two.sources"
for place in one.list:3 two.sources:2; do
    fake apt-get 'echo "http://first/debian/ bookworm main '"$stage"'/one.list:1 Somebody"; echo "http://second/debian/ bookworm main '"$stage/$place"' Debian"'
    expect 7 "deb [signed-by=$stage/second.gpg] http://second/debian/ bookworm main" "$bare" --folder "$bare_folder"
    expect 7 "bash ./run.sh list" "$bare" --folder "$bare_folder" ./run.sh list
done
if [[ -e $bare_folder ]]; then
    echo "FAILED: $bare_folder was not removed" && failures=$((failures + 1))
fi
mkdir "$bare_folder" && touch "$bare_folder/mine"
expect 1 "is not empty: name a new one" "$bare" --folder "$bare_folder"
[[ -e $bare_folder/mine ]] || { echo "FAILED: a file of another person was removed" && failures=$((failures + 1)); }

((failures == 0)) || exit 1

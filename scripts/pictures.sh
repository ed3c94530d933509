#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Makes the pictures of README.md and of the docs again, with the program of build/release: run it after a change to what is
# seen. `scripts/pictures.sh FOLDER` writes them elsewhere.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
to=${1:-$here/docs/images}
proxima=$here/build/release/bin/proxima
[[ -x $proxima ]] || { echo "There is no $proxima: ./run.sh builds it." >&2; exit 1; }
mkdir -p "$to"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# edit NAME LINES: the editor after somebody did what the lines say (samples/editor/app/script.h)
edit() {
    printf '%b\nwait 3\nquit\n' "$2" >"$work/script"
    "$proxima" edit --picture "$to/$1.png" --size 1280x720 --scale 1 --script "$work/script" \
        --settings "$work/settings.json" --recent "$work/recent.json" --output "$work"
    echo "$to/$1.png"
}
# law NAME SCENE TITLE FLAGS...: small ones, for physics/docs/laws.md
law() {
    "$proxima" run "$2" "${@:4}" --quiet --size 608x342 --title "$3" --picture "$to/$1.png"
    echo "$to/$1.png"
}
# run NAME SCENE FLAGS...
run() {
    "$proxima" run "$2" "${@:3}" --quiet --size 960x540 --picture "$to/$1.png"
    echo "$to/$1.png"
}
# play NAME GAME SECONDS
play() {
    "$proxima" play "$2" --script --seconds "$3" --size 960x540 --picture "$to/$1.png" >"$work/log"
    echo "$to/$1.png"
}

run pile pile4096 --steps 200
law turntable turntable 'mu 0.5, 1.8 rad/s: friction holds what is within mu g / w^2 = 1.5 m' --steps 50 --debug velocities
law tilting_ramp tilting_ramp '27.5 degrees: boxes with mu from 0.1 to 0.4 have slipped' --steps 330
law conveyor conveyor 'belts of 0.5, 1, 1.5 m/s; balls roll with 2/7 of 1.5 m/s; a slope of 15 degrees' --debug velocities
run cards cards5 --steps 60 --debug contacts,friction
play castle castle 6
play marble marble_run 12
run ragdolls ragdolls20 --steps 160
run bridge bridge20 --steps 400
run wrecking_ball wrecking_ball --steps 112
run crane crane --steps 250 --debug joints
run doors door_row --steps 60 --debug joints
edit editor 'wait 3'
edit editor_compare 'wait 3\nclick @tab.Solver\nclick @compare\nwait 2\nclick @choose.prox_jacobi\nclick @play\nuntil_step 40\npress body:heavy_ball\nmove 563,220\nuntil_step 95'
edit editor_contacts 'wait 3\nclick @play\nuntil_step 20\nclick body:crate_12\nclick @tab.Contacts\nclick @show.Contacts\nuntil_step 60\nclick @play'

#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs ./test.sh, or another command, in a Debian 12 that was made a minute ago and holds nothing but a clone of the project:
# what a person with a new machine meets. Everything happens in a mount and process namespace of its own, so that mounts and
# processes end with the script, however it ends.
set -euo pipefail
# shellcheck source=scripts/setup.sh
source "$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/setup.sh"

release=bookworm # Debian 12

usage() {
    cat <<'HELP'
usage: scripts/bare_debian.sh [--folder FOLDER] [--keep] [COMMAND...]

Makes a smallest Debian 12 with debootstrap, clones the last commit of the project into it and runs COMMAND there
as root, in the folder of the clone; without COMMAND: ./test.sh. Packages come from where this machine's apt takes them.

  --folder FOLDER   where the system is made: a new or empty folder with 5 GB of room; else a temporary one
  --keep            leave the folder when done

  scripts/bare_debian.sh ./run.sh list

Needs root and the package debootstrap. The exit code is that of COMMAND. Stages and their seconds are told on stderr.
HELP
}

# ---- what this machine knows about Debian 12 --------------------------------------------------------------------

# sources: a line "URI SUITE COMPONENT PLACE" for every source of Debian 12 packages that apt knows, whichever way it is
# written; PLACE is file:number. Other repositories carry the name of a release too, but another origin.
sources() {
    apt-get indextargets --format "\$(REPO_URI) \$(RELEASE) \$(COMPONENT) \$(SOURCESENTRY) \$(ORIGIN)" 'Created-By: Packages' 2>/dev/null |
        awk -v release="$release" '($2 == release || $2 == release "-updates" || $2 == release "-security") && (NF < 5 || $5 == "Debian") { print $1, $2, $3, $4 }' |
        sort -u || true
}

# keyring PLACE: the file of keys that the source there names, or Debian's own
keyring() {
    local file=${1%:*} number=${1##*:} text path=
    if [[ $file == *.sources ]]; then # the number counts paragraphs
        text=$(awk -v number="$number" 'BEGIN { RS = "" } NR == number' "$file" 2>/dev/null || true)
    else # lines
        text=$(sed -n "${number}p" "$file" 2>/dev/null || true)
    fi
    path=$(grep -oiE 'signed-by *[:=] *"?/[^] ",]+' <<<"$text" | head -n 1 | sed 's/^[^/]*//' || true)
    printf '%s\n' "${path:-/usr/share/keyrings/debian-archive-keyring.gpg}"
}

# ---- inside the namespace ---------------------------------------------------------------------------------------

# inside FOLDER COMMAND...: everything that mounts or starts something
inside() {
    local folder=$1 start=$SECONDS lines line one_uri suite component place uri='' keys='' include=()
    shift
    mapfile -t lines < <(sources)
    for line in "${lines[@]}"; do
        read -r one_uri suite component place <<<"$line"
        [[ $suite == "$release" && $component == main && -z $uri ]] || continue
        uri=$one_uri keys=$(keyring "$place")
    done
    [[ -n $uri ]] || px_fail "The apt sources of this machine name no Debian 12 ($release): add one, run 'apt-get update', then start again."
    [[ -r $keys ]] || px_fail "The keys of $uri are not there: $keys cannot be read (package debian-archive-keyring)."
    [[ $uri != https:* ]] || include=(--include=ca-certificates)

    mkdir -p "$folder/system"
    debootstrap --variant=minbase "${include[@]}" --keyring="$keys" "$release" "$folder/system" "$uri" >"$folder/debootstrap.log" 2>&1 ||
        px_fail "debootstrap could not make a Debian 12; the log above says why." "$folder/debootstrap.log"
    px_stage debootstrap "$((SECONDS - start)) s"

    start=$SECONDS
    for line in "${lines[@]}"; do
        read -r one_uri suite component place <<<"$line"
        keys=$(keyring "$place")
        [[ -e $folder/system$keys ]] || install -D -m 644 "$keys" "$folder/system$keys"
        printf 'deb [signed-by=%s] %s %s %s\n' "$keys" "$one_uri" "$suite" "$component"
    done >"$folder/system/etc/apt/sources.list"
    # The way to the network is this machine's; what else apt was told here is not taken along.
    apt-config dump 2>/dev/null | grep -iE '^Acquire::(https?|ftp)::Proxy ' >"$folder/system/etc/apt/apt.conf.d/00proxy" || true
    # Root clones the folder of another person.
    git -c safe.directory='*' clone --quiet --no-local "$px_root" "$folder/system/proxima" 2>"$folder/clone.log" ||
        px_fail "The project could not be cloned." "$folder/clone.log"
    px_stage clone "$(git -C "$folder/system/proxima" log -1 --format='%h %s'), $((SECONDS - start)) s"
    [[ -z $(git -c safe.directory='*' -C "$px_root" status --porcelain 2>/dev/null) ]] ||
        px_say "Changes that are not committed are not in the clone."

    mount -t proc proc "$folder/system/proc"
    mount -t tmpfs -o mode=755 tmpfs "$folder/system/run"
    mount --rbind /sys "$folder/system/sys"
    mount --rbind /dev "$folder/system/dev"
    mount -t tmpfs -o mode=1777 tmpfs "$folder/system/dev/shm"

    start=$SECONDS
    px_stage run "$*"
    local code=0 kept=()
    for line in http_proxy https_proxy no_proxy TERM CI NO_COLOR; do
        [[ -z ${!line:-} ]] || kept+=("$line=${!line}")
    done
    # shellcheck disable=SC2016 # "$@" is the inner shell's
    chroot "$folder/system" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin "${kept[@]}" \
        bash -c 'cd /proxima && exec "$@"' bash "$@" || code=$?
    px_stage run "ended with code $code, $((SECONDS - start)) s"
    return "$code"
}

# ---- outside ----------------------------------------------------------------------------------------------------

if [[ ${1:-} == --inside ]]; then # the script calls itself in the namespace
    shift
    inside "$@"
    exit
fi

folder='' keep=0
while (($# > 0)); do
    case $1 in
        -h | --help)
            usage
            exit 0
            ;;
        --folder)
            (($# >= 2)) || px_fail "--folder needs the name of a folder."
            folder=$2
            shift
            ;;
        --keep) keep=1 ;;
        --) shift && break ;;
        -*)
            px_fail "Unknown argument '$1': scripts/bare_debian.sh --help lists what there is."
            ;;
        *) break ;;
    esac
    shift
done
(($# > 0)) || set -- ./test.sh

[[ $(id -u) == 0 ]] || px_fail "Making a Debian needs root: start this script with sudo."
command -v debootstrap >/dev/null || px_fail "The program 'debootstrap' is needed and not there: apt-get install debootstrap."
for tool in apt-get git unshare; do
    command -v "$tool" >/dev/null || px_fail "The program '$tool' is needed and not there."
done
unshare --mount --pid --fork true 2>/dev/null || px_fail "This machine allows no namespaces (a container without privileges?), so no Debian can be made in it."

made=0 worker=
if [[ -z $folder ]]; then
    folder=$(mktemp -d "${TMPDIR:-/tmp}/bare_debian.XXXXXX") made=1
else
    [[ -e $folder ]] || made=1
    mkdir -p "$folder"
    folder=$(cd "$folder" && pwd)
    [[ -z $(ls -A "$folder") ]] || px_fail "The folder $folder is not empty: name a new one."
fi

# shellcheck disable=SC2317 # called by the trap
clean_up() {
    local code=$? start=$SECONDS
    trap - EXIT
    trap '' INT TERM HUP
    # The first process of the namespace ends with unshare, and with that one all others and every mount.
    if [[ -n $worker ]] && kill -KILL "$worker" 2>/dev/null; then
        wait "$worker" 2>/dev/null || true
    fi
    if ((keep)); then
        px_stage kept "$folder/system"
    else
        # Processes that are being ended may write for a moment; --one-file-system would leave a mount alone that is not ours.
        rm -rf --one-file-system "$folder/system" "$folder/debootstrap.log" "$folder/clone.log" 2>/dev/null ||
            { sleep 2 && rm -rf --one-file-system "$folder/system" "$folder/debootstrap.log" "$folder/clone.log"; }
        ((made == 0)) || rmdir "$folder"
        px_stage "cleaned up" "$((SECONDS - start)) s"
    fi
    exit "$code"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# In the background, so that a signal is heard at once and not when the command ends.
unshare --mount --pid --fork --kill-child "$BASH" "${BASH_SOURCE[0]}" --inside "$folder" "$@" &
worker=$!
code=0
wait "$worker" || code=$?
worker=
px_stage total "$SECONDS s"
exit "$code"

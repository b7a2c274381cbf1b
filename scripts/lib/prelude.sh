# shellcheck shell=bash
# What every script of this folder starts from. Sourced, never run.

# The root of the repository, however the script was reached: through a symlink or from another directory.
root=$(readlink -f -- "${BASH_SOURCE[0]}")
root=${root%/scripts/lib/*}

# Tells a person something; standard output is left to what a script is asked for.
say() {
    printf '%s\n' "$*" >&2
}

# Ends the script with a reason.
fail() {
    say "$*"
    exit 1
}

# Whether a program is there; servers live in directories that a user's PATH may lack.
have() {
    PATH="$PATH:/usr/local/sbin:/usr/sbin:/sbin" command -v -- "$1" >/dev/null 2>&1
}

require_swift() {
    have swift || fail "Swift was not found in PATH. Ferry needs Swift 6.3 or newer: https://www.swift.org/install"
}

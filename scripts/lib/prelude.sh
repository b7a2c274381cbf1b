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

# Prints, a line each, what a build with optimization is told besides: to link Swift's own libraries into the program,
# where the toolchain has them for that. It then starts sooner. Swift's arguments for this export every symbol of the
# program; nothing looks one up, so none is exported. Every such build is told the same, since another word about this
# compiles all dependencies anew.
release_options() {
    local resources
    resources=$(swift -print-target-info | sed -n 's/.*"runtimeResourcePath" *: *"\(.*\)".*/\1/p')
    if [[ -d ${resources}_static/linux ]]; then
        printf '%s\n' --static-swift-stdlib -Xlinker --no-export-dynamic
    fi
}

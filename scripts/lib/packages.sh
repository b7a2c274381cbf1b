# shellcheck shell=bash disable=SC2034
# Installs the system packages that Ferry's scripts need. Sourced after prelude.sh.
#
# A package is written PACKAGE=PROBE: it counts as there when the probe, a program or the path of a file, is.
# So nothing is asked of dpkg, and what was installed in another way is good enough.

# What a build of Ferry needs beside Swift.
build_packages=(
    'git=git'
    'g++=g++'
    'libsqlite3-dev=/usr/include/sqlite3.h'
    'zlib1g-dev=/usr/include/zlib.h'
)

# What the tests need beside that.
test_packages=(
    'age=age'
    'apache2=apache2'
    'ca-certificates=/etc/ssl/certs/ca-certificates.crt'
    'curl=curl'
    'jq=jq'
    'lighttpd=lighttpd'
    'nginx-light=nginx'
    'openssl=openssl'
    'procps=ps'
    'python3=python3'
    'rclone=rclone'
    'shellcheck=shellcheck'
    'strace=strace'
    'tmux=tmux'
)

# What Ferry is compared with.
peer_packages=(
    'aria2=aria2c'
    'curl=curl'
    'wget=wget'
    'wget2=wget2'
)

# Prints the packages among the given ones that are not there.
missing_packages() {
    local entry probe
    for entry in "$@"; do
        probe=${entry#*=}
        if [[ $probe == /* ]]; then
            [[ -e $probe ]] || printf '%s\n' "${entry%%=*}"
        elif ! have "$probe"; then
            printf '%s\n' "${entry%%=*}"
        fi
    done
}

# Installs what is missing of the given packages; where it may not, it says what is missing and how to mend that.
install_packages() {
    local missing=()
    mapfile -t missing < <(missing_packages "$@")
    [[ ${#missing[@]} -gt 0 ]] || return 0

    have apt-get || fail "These are missing, under the names that Debian gives them: ${missing[*]}
Install them with this system's package manager, then run the same line again."
    if [[ $(id -u) -ne 0 ]]; then
        if ! have sudo || ! sudo -n true 2>/dev/null; then
            fail "These packages are missing: ${missing[*]}
Install them, then run the same line again:
    sudo apt-get install ${missing[*]}"
        fi
        as_root=(sudo -n)
    fi
    apt_install "${missing[@]}"
}

# What to put before a command that only root may run.
as_root=()

apt_install() {
    local packages=("$@")
    local log policy=/usr/sbin/policy-rc.d own_policy=false status=0 package
    local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -y -o DPkg::Lock::Timeout=300)
    log=$(mktemp)
    say "Installing ${packages[*]}…"

    # Exit status 101 of this file keeps a package from starting its service; see invoke-rc.d(8).
    if [[ ! -e $policy ]]; then
        printf '#!/bin/sh\nexit 101\n' | "${as_root[@]}" tee "$policy" >/dev/null
        "${as_root[@]}" chmod 755 "$policy"
        own_policy=true
    fi
    {
        "${apt[@]}" install --no-install-recommends "${packages[@]}" </dev/null ||
            { "${apt[@]}" update </dev/null &&
                "${apt[@]}" install --no-install-recommends "${packages[@]}" </dev/null; }
    } >"$log" 2>&1 || status=$?
    if [[ $own_policy == true ]]; then "${as_root[@]}" rm -f "$policy"; fi
    if [[ $status -ne 0 ]]; then
        cat "$log" >&2
        rm -f "$log"
        fail "apt-get could not install ${packages[*]}; see its output above."
    fi
    rm -f "$log"

    # Nor shall they start with the machine: the tests start servers of their own.
    if [[ -d /run/systemd/system ]]; then
        for package in "${packages[@]}"; do
            case $package in
            apache2 | lighttpd) "${as_root[@]}" systemctl disable --quiet "$package" || true ;;
            nginx-light) "${as_root[@]}" systemctl disable --quiet nginx || true ;;
            esac
        done
    fi
}

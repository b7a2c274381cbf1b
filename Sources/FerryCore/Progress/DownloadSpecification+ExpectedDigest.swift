extension DownloadSpecification {
    /// The digest that the file must have, before it is published and afterwards; `nil` if none is known.
    ///
    /// The user's digest comes first, then the digest of the URL's server, then that of a mirror. A server's digest
    /// does not count if the user ignores such digests. It does not count for a stream either, which cannot take back
    /// written bytes.
    package func expectedDigest(knowing progress: DownloadProgress) -> Checksum? {
        if let checksum = options.checksum { return checksum }
        guard !isStream, !options.ignoresServerDigests else { return nil }
        return progress.mirroring.vouched ?? progress.volunteered
    }
}

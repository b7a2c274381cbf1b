extension DownloadSpecification {
    /// The digest that the file is held against, while it comes, before it is published and ever after; `nil` where
    /// none is known.
    ///
    /// What the user knows of the file goes before what its URL says of it, and that before what a mirror does. A
    /// server's word counts for nothing where the user does not want it, whoever recorded it, nor for a stream, which
    /// cannot take back what was written to it.
    public func expectedDigest(knowing checkpoint: Checkpoint) -> Checksum? {
        if let checksum = options.checksum { return checksum }
        guard !isStream, !options.ignoresServerDigests else { return nil }
        return checkpoint.mirroring.vouched ?? checkpoint.volunteered
    }
}

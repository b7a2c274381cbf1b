/// A file that Ferry gave its final name, as it was then.
package struct PlacedFile: Hashable, Sendable {
    /// Which file it is.
    package let identity: FileIdentity
    /// Its length in bytes.
    package let length: Int64
    /// When its bytes were last changed, as in ``FileSurvey/Entry/modified``; `nil` if its file system does not keep that
    /// time exactly.
    package let modified: Int64?

    /// Creates a description.
    package init(identity: FileIdentity, length: Int64, modified: Int64?) {
        (self.identity, self.length, self.modified) = (identity, length, modified)
    }

    /// Whether an entry is this file, unchanged. Without a time of its last change, nothing shows that.
    package func isStill(_ entry: FileSurvey.Entry) -> Bool {
        entry.kind == .file && entry.identity.isSameFile(as: identity) && entry.length == length
            && modified != nil && entry.modified == modified
    }
}

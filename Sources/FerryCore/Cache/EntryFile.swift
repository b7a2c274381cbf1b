/// What was found in the place of the file of an entry. The raw value is shown in JSON.
package enum EntryFile: String, Hashable, Sendable, CaseIterable {
    /// Its file, unchanged.
    case intact
    /// The file that was about to take the place of its own. The process that has put it there died before it could note that.
    case arrived
    /// Nothing.
    case missing
    /// A symbolic link, which is never followed.
    case link
    /// Its file with other bytes, or something that Ferry did not put there.
    case changed
    /// Unknown: its place could not be examined.
    case unreadable
}

extension StoredEntry {
    /// What a look at the place of its file has found; `nil` for an entry without a file.
    ///
    /// - Parameter found: what has the name of its file; `nil` if nothing has.
    package func file(finding found: FileSurvey.Entry?) -> EntryFile? {
        guard let version else { return nil }
        guard let found else { return .missing }
        if version.isStill(found) { return .intact }
        if expects(found) { return .arrived }
        return found.kind == .symbolicLink ? .link : .changed
    }
}

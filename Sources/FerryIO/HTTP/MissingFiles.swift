internal import FerryCore

/// Distinguishes a file that is missing for a moment from one that was never there.
///
/// A renewal of a certificate may delete the old file before it writes the new one. So a file that this process has found
/// before may be missing for as long as a renewal takes. One that it never found was named wrongly or is gone for good,
/// and its user wants to know that at once. After a restart nothing is known: a file that is missing then counts as one that
/// was never there.
struct MissingFiles {
    private enum Presence {
        case found
        case missing(since: Instant)
    }

    /// Maximum number of files that are remembered.
    private static let limit = 256

    private var files: [String: Presence] = [:]

    /// A file is there.
    mutating func found(_ path: String) {
        if files[path] == nil, files.count >= Self.limit { files = [:] }
        files[path] = .found
    }

    /// A file is not there; returns whether it is perhaps being replaced.
    mutating func mayComeBack(_ path: String, at now: Instant) -> Bool {
        switch files[path] {
        case nil:
            return false
        case .found:
            files[path] = .missing(since: now)
            return true
        case .missing(let since):
            return since.duration(to: now) < PEMFile.renewal
        }
    }
}

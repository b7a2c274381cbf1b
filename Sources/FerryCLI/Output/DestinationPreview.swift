import Ferry
import Glibc

/// Whether something has the name of a file already, and what `ferry get` does about it.
///
/// It does not look at the store. So with `--update` it says what happens to a file that Ferry saved, and to any
/// other.
struct DestinationPreview: Hashable, Sendable {
    /// What has the name; `nil` if nothing has it.
    private let kind: FileSurvey.Kind?
    /// What the download does, if Ferry saved the file and it was not changed since.
    let action: DestinationTable.Decision
    /// What the download does with any other file; `nil` if it is the same.
    let otherwise: DestinationTable.Decision?

    /// Whether something has the name.
    var exists: Bool { kind != nil }

    /// Decides as a download does.
    ///
    /// - Parameters:
    ///   - kind: what has the name; `nil` if nothing has it.
    ///   - isNamed: whether the user gave the name. A server cannot name a device.
    init(_ kind: FileSurvey.Kind?, isNamed: Bool, _ options: DownloadOptions) {
        func decision(_ saved: DestinationTable.Saved) -> DestinationTable.Decision {
            DestinationTable.decide(
                kind,
                isNamed: isNamed,
                saved,
                policy: options.existingFile,
                updates: options.updates
            )
        }
        self.kind = kind
        let (ofSaved, ofOthers) = (decision(.unchanged), decision(.unrecorded))
        action = ofSaved
        otherwise = ofOthers == ofSaved ? nil : ofOthers
    }

    /// What exists under a path. A path that cannot be looked at counts as free; the download reports why.
    static func kind(at path: String) -> FileSurvey.Kind? {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        let kind: FileSurvey.Kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .file
            case S_IFDIR: .directory
            case S_IFLNK: .symbolicLink
            case S_IFCHR, S_IFBLK, S_IFIFO: .stream
            default: .other
            }
        return kind
    }

    /// What has the name, for JSON; `nil` if nothing has it.
    var existingKind: String? {
        switch kind {
        case nil: nil
        case .file?: "file"
        case .directory?: "directory"
        case .symbolicLink?: "symlink"
        case .stream?: "device"
        case .other?: "other"
        }
    }

    /// The same for a person.
    var text: String {
        switch action {
        case .create: "no"
        case .write: "yes, it is a device or a pipe that is written to"
        case .update:
            "yes, and \(Self.clause(action)); if ferry did not save it, or it was changed since, "
                + Self.clause(otherwise ?? action)
        case .number:
            "yes, and \(Self.clause(action)), unless an earlier download saved the file"
        case .fail where kind == .file:
            "yes, and \(Self.clause(action)), unless an earlier one saved the file; --overwrite replaces it"
        case .fail: "yes, it is no regular file, and \(Self.clause(action))"
        case .replace, .skip: "yes, and \(Self.clause(action))"
        }
    }

    /// What the download does, as a clause.
    private static func clause(_ action: DestinationTable.Decision) -> String {
        switch action {
        case .create: "a new file is made"
        case .write: "it is written to"
        case .replace: "it is replaced"
        case .update: "it is replaced if the server has another version"
        case .skip: "nothing is fetched"
        case .number: "the new file gets a number"
        case .fail: "the download fails"
        }
    }
}

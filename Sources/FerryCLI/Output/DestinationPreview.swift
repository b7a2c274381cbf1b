import Ferry
import Glibc

/// Whether something has the name of a file already, and what `ferry get` does about it.
struct DestinationPreview: Hashable, Sendable {
    /// Whether something has the name.
    var exists: Bool { kind != .nothing }
    /// What the download does.
    let action: Action
    private let kind: Kind

    /// What may have the name.
    enum Kind: Hashable, Sendable, CaseIterable {
        case nothing, file
        /// A device or a FIFO.
        case stream
        /// A directory, a symbolic link or anything else that is never replaced.
        case obstacle
    }

    /// What the download does. The raw value is for JSON.
    enum Action: String, Hashable, Sendable {
        /// It makes a new file.
        case create
        /// It replaces the file.
        case replace
        /// It replaces the file if Ferry saved it, it was not changed since, and the server has another
        /// version.
        case update
        /// It fetches nothing.
        case skip
        /// It takes the next free numbered name.
        case number
        /// It writes to the device or FIFO.
        case write
        /// It fails, unless an earlier download of the same URL saved the file.
        case refuse
        /// It fails, whatever the options.
        case neverReplace
    }

    /// Decides as a download does.
    ///
    /// - Parameter isNamed: whether the user gave the name. A server cannot name a device.
    init(_ kind: Kind, isNamed: Bool, _ options: DownloadOptions) {
        self.kind = kind
        action =
            switch (kind, options.existingFile) {
            case (.nothing, _): .create
            case (.stream, _) where isNamed: .write
            case (.stream, _), (.obstacle, _): .neverReplace
            case (.file, .overwrite): .replace
            case (.file, .noClobber): .skip
            case (.file, .autoRename): .number
            case (.file, .fail): options.updates ? .update : .refuse
            }
    }

    /// What exists under a path. A path that cannot be looked at counts as free; the download reports why.
    static func kind(at path: String) -> Kind {
        var status = stat()
        guard lstat(path, &status) == 0 else { return .nothing }
        return switch status.st_mode & S_IFMT {
        case S_IFREG: .file
        case S_IFCHR, S_IFBLK, S_IFIFO: .stream
        default: .obstacle
        }
    }

    /// The same for a person.
    var text: String {
        switch action {
        case .create: "no"
        case .replace: "yes, and it is replaced"
        case .update: "yes, and it is replaced if ferry saved it and the server has another version"
        case .skip: "yes, and nothing is fetched"
        case .number: "yes, and the new file gets a number"
        case .write: "yes, it is a device or a pipe that is written to"
        case .refuse:
            "yes, and the download is refused, unless an earlier one saved the file; --overwrite replaces it"
        case .neverReplace: "yes, it is no regular file, and the download is refused"
        }
    }
}

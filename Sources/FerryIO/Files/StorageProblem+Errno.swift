internal import FerryCore
internal import SystemPackage

extension StorageProblem {
    /// The problem for an error number of the kernel, classified by ``StorageVerdict``.
    ///
    /// - Parameter needed: the number of bytes that must be free to resume, if known.
    init(_ error: Errno, while operation: FileOperation, path: String, needed: Int64 = 1) {
        // The most common mistake gets its own sentence and command.
        if operation == .openDirectory, error == .noSuchFileOrDirectory {
            self.init(
                .permanent(
                    .cannotCreate,
                    "The directory \(path) does not exist.",
                    remedies: [.createDirectory(path: path), .retry]
                ),
                errno: error.rawValue
            )
            return
        }
        let verdict = StorageVerdict.of(error, while: operation)
        let reason = verdict.reason ?? error.description
        let message = "Cannot \(operation.phrase) \(path): \(reason)."
        let disposition: Problem.Disposition =
            switch verdict.outcome {
            case .transient: .transient(retryAfter: nil)
            case .untilThereIsRoom: .condition(.diskSpace(needed: needed))
            case .untilItIsWritable: .condition(.diskMount)
            case .permanent: .permanent
            }
        self.init(
            Problem(TransferFailure(verdict.code, message, remedies: verdict.remedies), disposition),
            errno: error.rawValue
        )
    }

    /// The file does not fit, as found before writing a byte.
    static func noRoom(for path: String, needed: Int64, free: Int64) -> StorageProblem {
        StorageProblem(
            .condition(
                .diskSpace(needed: needed),
                .diskFull,
                "\(path) needs \(ByteCount(needed).formatted); \(ByteCount(free).formatted) are free on its file system.",
                remedies: [.freeSpace, .retry]
            ),
            errno: Errno.noSpace.rawValue
        )
    }

    /// A link, or something else that is no directory, is on the way to a directory that a document or a server named.
    static func linkedFolder(_ path: String, below root: String, errno: Errno) -> StorageProblem {
        StorageProblem(
            .permanent(
                .cannotCreate,
                "Cannot save into \(path): a link or a file is in the place of a directory on the way from \(root).",
                remedies: [.chooseOtherDirectory]
            ),
            errno: errno.rawValue
        )
    }

    /// Another file has the part file's name.
    static func foreignPart(_ path: String) -> StorageProblem {
        StorageProblem(
            .permanent(
                .destinationExists,
                "\(path) already exists and belongs to another download.",
                remedies: [.moveAwayUnlessNeeded, .chooseOtherName]
            ),
            errno: Errno.fileExists.rawValue
        )
    }

    /// Another open file locks the part file.
    static func lockedPart(_ path: String) -> StorageProblem {
        StorageProblem(
            .transient(.cannotOpen, "Another transfer or program is writing \(path)."),
            errno: Errno.wouldBlock.rawValue
        )
    }

    /// The part file is gone. Transient: the transfer can start over.
    static func absentPart(_ path: String) -> StorageProblem {
        StorageProblem(
            .transient(.partFileLost, "The part file \(path) no longer exists."),
            errno: Errno.noSuchFileOrDirectory.rawValue
        )
    }

    /// Another file has the part file's name. Permanent: it is in the way, and Ferry may not remove it.
    static func replacedPart(_ path: String) -> StorageProblem {
        StorageProblem(
            .permanent(
                .partFileLost,
                "\(path) is not the part file that this transfer wrote.",
                remedies: [.moveAwayUnlessNeeded, .chooseOtherName]
            ),
            errno: Errno.fileExists.rawValue
        )
    }

    /// The part file has fewer bytes than were written.
    static func shortPart(_ path: String, length: Int64, expected: Int64) -> StorageProblem {
        StorageProblem(
            .transient(
                .partFileLost,
                "The part file \(path) has \(ByteCount(length).formatted(beside: expected)) where "
                    + "\(ByteCount(expected).formatted(beside: length)) were written."
            ),
            errno: 0
        )
    }

    /// The final name is taken.
    static func taken(_ path: String, by kind: FileSurvey.Kind?) -> StorageProblem {
        let thing =
            switch kind {
            case .directory: "A directory"
            case .symbolicLink: "A symbolic link"
            case .stream: "A device or FIFO"
            case .file, nil: "A file"
            case .other: "Something that is not a file"
            }
        let isReplaceable = kind == .file || kind == nil
        return StorageProblem(
            .permanent(
                .destinationExists,
                "\(thing) named \(path) already exists.",
                remedies: (isReplaceable ? [.overwrite] : []) + [.autoRename, .chooseOtherName]
            ),
            errno: Errno.fileExists.rawValue
        )
    }

    /// The file has its final name, but the path no longer leads to its directory.
    static func moved(_ path: String, to present: String?) -> StorageProblem {
        // The kernel gives the same path for a directory below a mount, and one at the root for a disk that `umount -l` took.
        let place =
            switch present {
            case path?: "it is in the directory below what is mounted there now"
            case let present? where !present.hasPrefix("//"): "it is \(present)"
            default: "it is in the directory that had this path"
            }
        return StorageProblem(
            .permanent(
                .destinationMoved,
                "The directory of \(path) was moved or replaced. The file is complete: \(place).",
                remedies: [.fetchAgain]
            ),
            errno: 0
        )
    }

    /// The file has its final name, on a disk that was unmounted while its directory was open.
    static func detached(_ path: String) -> StorageProblem {
        StorageProblem(
            .permanent(
                .destinationMoved,
                "The disk of \(path) was unmounted during the transfer. The file is complete, on that disk.",
                remedies: [.mountDisk, .retry]
            ),
            errno: 0
        )
    }

    /// The finished file is gone, or another file has its name.
    static func absentFile(_ path: String) -> StorageProblem {
        StorageProblem(
            .permanent(.cannotOpen, "The file \(path) no longer exists."),
            errno: Errno.noSuchFileOrDirectory.rawValue
        )
    }

    /// The file system can neither rename without replacing nor link.
    static func cannotPublishSafely(_ path: String, errno: Errno) -> StorageProblem {
        StorageProblem(
            .permanent(
                .cannotCreate,
                "This file system cannot rename to \(path) without the risk of replacing another file.",
                remedies: [.overwrite, .chooseOtherDirectory]
            ),
            errno: errno.rawValue
        )
    }

    /// An invariant did not hold.
    static func defect(_ message: String) -> StorageProblem {
        StorageProblem(.permanent(.internalFault, message), errno: 0)
    }
}

internal import FerryCore
internal import SystemPackage

/// What a kernel error number means for a transfer.
///
/// The decisions are the rows of ``table``; the first row with the number and the operation applies.
struct StorageVerdict: Hashable, Sendable {
    /// The consequence of a failure.
    enum Outcome: Hashable, Sendable {
        /// It may work next time; attempts are counted.
        case transient
        /// It waits until there is space.
        case untilThereIsRoom
        /// It waits until the file system is writable.
        case untilItIsWritable
        /// It will never work.
        case permanent
    }

    /// The stable code of the failure.
    var code: TransferFailure.Code
    /// The consequence.
    var outcome: Outcome
    /// The reason in words, to follow the path; `nil` uses the system's message.
    var reason: String?
    /// What to do next.
    var remedies: [Remedy] = []

    /// A row: these errors during these operations mean this verdict.
    struct Row: Sendable {
        var errors: Set<Errno>
        var operations: Set<FileOperation>
        var verdict: StorageVerdict

        init(
            _ errors: Set<Errno>,
            _ operations: Set<FileOperation>,
            _ code: TransferFailure.Code,
            _ outcome: Outcome,
            _ reason: String?,
            remedies: [Remedy] = []
        ) {
            self.errors = errors
            self.operations = operations
            verdict = StorageVerdict(code: code, outcome: outcome, reason: reason, remedies: remedies)
        }
    }

    /// The meaning of `error` during `operation`.
    ///
    /// An error without a row may be a temporary fault of a network or FUSE file system. So it is retried
    /// within the transfer's attempts and not assumed to be final.
    static func of(_ error: Errno, while operation: FileOperation) -> StorageVerdict {
        let row = table.first { $0.errors.contains(error) && $0.operations.contains(operation) }
        return row?.verdict
            ?? StorageVerdict(code: unnamedCode(operation), outcome: .transient, reason: nil)
    }

    private static func unnamedCode(_ operation: FileOperation) -> TransferFailure.Code {
        switch operation {
        case .openDirectory, .survey, .create, .rename, .remove, .openStream: .cannotCreate
        case .open, .freeSpace: .cannotOpen
        case .writeStream: .streamLost
        case .reserve, .write, .truncate, .read, .synchronize, .synchronizeDirectory, .date: .storageFault
        }
    }

    /// The decisions.
    static let table: [Row] = [
        // Space. A condition: it ends when space is freed, and nothing is lost until then.
        Row(
            [.noSpace],
            FileOperation.growing,
            .diskFull,
            .untilThereIsRoom,
            "the disk is full",
            remedies: [.freeSpace, .retry]
        ),
        Row(
            [.diskQuotaExceeded],
            FileOperation.growing,
            .diskFull,
            .untilThereIsRoom,
            "your quota on this file system is used up",
            remedies: [.freeSpace, .retry]
        ),
        // Freeing space does not help a file that is too large for its file system.
        Row(
            [.fileTooLarge],
            FileOperation.changing,
            .cannotCreate,
            .permanent,
            "the file would be larger than this file system or your limit (ulimit -f) allows",
            remedies: [.chooseOtherDirectory]
        ),

        // The disk. Transient, not permanent: a cable, a controller or a network mount recovers, the failed
        // range is fetched again, and the attempts are bounded. It never counts as success.
        Row(
            [.ioError],
            FileOperation.all,
            .storageFault,
            .transient,
            "the disk reported an error",
            remedies: [.checkDisk, .retry]
        ),
        // Linux remounts a damaged file system read-only. A condition: it ends when a person has made it writable again, and
        // nothing is lost until then.
        Row(
            [.readOnlyFileSystem],
            FileOperation.changing.subtracting([.writeStream]).union([.synchronizeDirectory]),
            .storageFault,
            .untilItIsWritable,
            "its file system has become read-only",
            remedies: [.checkDisk, .retry]
        ),
        Row(
            [.readOnlyFileSystem],
            [.create, .open, .rename, .remove, .date],
            .cannotCreate,
            .untilItIsWritable,
            "its file system is read-only",
            remedies: [.checkDisk, .retry, .chooseOtherDirectory]
        ),
        Row(
            [.readOnlyFileSystem],
            FileOperation.all,
            .cannotCreate,
            .permanent,
            "its file system is read-only",
            remedies: [.checkDisk, .retry, .chooseOtherDirectory]
        ),

        // The directory.
        Row(
            [.notDirectory],
            [.openDirectory],
            .cannotCreate,
            .permanent,
            "it is not a directory",
            remedies: [.chooseOtherDirectory]
        ),
        Row(
            [.tooManySymbolicLinkLevels],
            [.openDirectory, .openStream],
            .cannotCreate,
            .permanent,
            "its symbolic links form a loop",
            remedies: [.chooseOtherDirectory]
        ),
        Row(
            [.permissionDenied, .notPermitted],
            FileOperation.naming,
            .cannotCreate,
            .permanent,
            "permission denied",
            remedies: [.chooseOtherDirectory]
        ),
        Row(
            [.permissionDenied, .notPermitted],
            [.open, .read],
            .cannotOpen,
            .permanent,
            "permission denied",
            remedies: [.checkPermissions, .retry]
        ),
        Row(
            [.permissionDenied, .notPermitted],
            FileOperation.changing,
            .storageFault,
            .permanent,
            "permission denied"
        ),
        Row(
            [.noSuchFileOrDirectory],
            [.create, .survey, .synchronizeDirectory],
            .cannotCreate,
            .permanent,
            "its directory was removed, or takes no files",
            remedies: [.chooseOtherDirectory]
        ),

        // The names.
        Row(
            [.fileExists, .isDirectory, .directoryNotEmpty],
            [.create, .rename],
            .destinationExists,
            .permanent,
            "something with that name already exists",
            remedies: [.moveAway, .retry, .chooseOtherName]
        ),
        Row(
            [.tooManySymbolicLinkLevels, .improperLink],
            [.create, .rename],
            .destinationExists,
            .permanent,
            "a symbolic link has that name",
            remedies: [.moveAway, .retry, .chooseOtherName]
        ),
        Row(
            [.tooManySymbolicLinkLevels, .noSuchFileOrDirectory, .isDirectory, .noSuchAddressOrDevice],
            [.open],
            .partFileLost,
            .permanent,
            "it is not the part file that this transfer wrote",
            remedies: [.moveAway, .retry]
        ),
        Row(
            [.noSuchFileOrDirectory],
            [.rename],
            .partFileLost,
            .transient,
            "the part file no longer exists"
        ),
        Row(
            [.fileNameTooLong],
            FileOperation.all,
            .cannotCreate,
            .permanent,
            "the name is too long",
            remedies: [.chooseOtherName]
        ),
        Row(
            [.invalidArgument, .illegalByteSequence],
            [.create, .rename],
            .cannotCreate,
            .permanent,
            "this file system does not allow the name",
            remedies: [.chooseOtherName]
        ),

        // Streams. None of their bytes can be written again, so no failure of a write waits.
        Row(
            [.noSpace],
            [.writeStream],
            .diskFull,
            .permanent,
            "no space is left",
            remedies: [.freeSpace, .retry]
        ),
        Row(
            [.diskQuotaExceeded],
            [.writeStream],
            .diskFull,
            .permanent,
            "your quota on its file system is used up",
            remedies: [.freeSpace, .retry]
        ),
        Row(
            [.brokenPipe],
            [.writeStream],
            .streamLost,
            .permanent,
            "the reader of the stream has gone"
        ),
        Row(
            [.noSuchFileOrDirectory],
            [.openStream],
            .cannotCreate,
            .permanent,
            "it does not exist",
            remedies: [.createFIFO, .retry, .chooseOtherName]
        ),
        Row(
            [.permissionDenied, .notPermitted, .notDirectory],
            [.openStream],
            .cannotCreate,
            .permanent,
            "permission denied"
        ),
        Row(
            [.badFileDescriptor],
            [.openStream, .writeStream],
            .cannotCreate,
            .permanent,
            "it is not open for writing"
        ),
        Row(
            [.noSuchAddressOrDevice, .operationNotSupportedByDevice],
            [.openStream],
            .cannotCreate,
            .permanent,
            "the device does not exist"
        ),

        // The process and the machine: these are temporary.
        Row(
            [.tooManyOpenFiles],
            FileOperation.all,
            .cannotOpen,
            .transient,
            "too many files are open",
            remedies: [.raiseFileLimit, .retry]
        ),
        Row(
            [.tooManyOpenFilesInSystem, .noMemory, .noBufferSpace],
            FileOperation.all,
            .cannotOpen,
            .transient,
            "the machine has run out of memory or open files"
        ),
        Row(
            [.staleNFSFileHandle],
            FileOperation.all,
            .storageFault,
            .transient,
            "the file server no longer knows it"
        ),
    ]
}

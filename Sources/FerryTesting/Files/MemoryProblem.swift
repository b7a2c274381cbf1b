internal import FerryCore

/// The problems of a disk in memory: the same codes and dispositions as the live file system's.
enum MemoryProblem {
    static func noDirectory(_ path: String) -> StorageProblem {
        StorageProblem(
            .permanent(
                .cannotCreate,
                "The directory \(path) does not exist.",
                remedies: [.createDirectory(path: path), .retry]
            ),
            errno: 2
        )
    }

    static func foreignPart(_ path: String) -> StorageProblem {
        StorageProblem(
            .permanent(
                .destinationExists,
                "\(path) already exists and belongs to another download.",
                remedies: [.moveAwayUnlessNeeded, .chooseOtherName]
            ),
            errno: 17
        )
    }

    static func lockedPart(_ path: String) -> StorageProblem {
        StorageProblem(.transient(.cannotOpen, "Another transfer or program is writing \(path)."), errno: 11)
    }

    static func absentPart(_ path: String) -> StorageProblem {
        StorageProblem(
            .transient(.partFileLost, "The part file \(path) no longer exists."),
            errno: 2
        )
    }

    static func replacedPart(_ path: String) -> StorageProblem {
        StorageProblem(
            .permanent(
                .partFileLost,
                "\(path) is not the part file that this transfer wrote.",
                remedies: [.moveAwayUnlessNeeded, .chooseOtherName]
            ),
            errno: 17
        )
    }

    static func replaced(_ path: String) -> StorageProblem {
        StorageProblem(.permanent(.cannotOpen, "The file \(path) no longer exists."), errno: 0)
    }

    static func shortPart(_ path: String) -> StorageProblem {
        StorageProblem(
            .transient(.partFileLost, "The part file \(path) is shorter than what was written."),
            errno: 0
        )
    }

    static func taken(_ path: String) -> StorageProblem {
        StorageProblem(
            .permanent(
                .destinationExists,
                "Something named \(path) already exists.",
                remedies: [.overwrite]
            ),
            errno: 17
        )
    }

    static func full(_ path: String, needed: Int64) -> StorageProblem {
        StorageProblem(
            .condition(
                .diskSpace(needed: needed),
                .diskFull,
                "Cannot write to \(path): the disk is full.",
                remedies: [.freeSpace, .retry]
            ),
            errno: 28
        )
    }

    static let readOnly = StorageProblem(
        .condition(
            .diskMount,
            .cannotCreate,
            "Cannot write: the file system is read-only.",
            remedies: [.checkDisk, .retry, .chooseOtherDirectory]
        ),
        errno: 30
    )

    static func failedBefore(_ path: String) -> StorageProblem {
        StorageProblem(.transient(.storageFault, "A former sync of \(path) failed."), errno: 5)
    }

    static func noStream(_ path: String) -> StorageProblem {
        StorageProblem(.permanent(.cannotCreate, "\(path) is not a FIFO or a device."), errno: 0)
    }

    static func streamFailedBefore(_ path: String) -> StorageProblem {
        StorageProblem(.permanent(.streamLost, "\(path) failed before."), errno: 0)
    }

    /// A call that the seam forbids.
    static func defect(_ message: String) -> StorageProblem {
        StorageProblem(.permanent(.internalFault, message), errno: 0)
    }
}

extension MemoryDisk {
    /// The directory at a path.
    func directory(_ path: String) throws(StorageProblem) -> Directory {
        guard let directory = directories[path] else { throw MemoryProblem.noDirectory(path) }
        return directory
    }

    /// Locks a file for a new opening, and returns its number.
    mutating func lock(_ inode: UInt64, path: String) throws(StorageProblem) -> Int {
        guard nodes[inode]?.holder == nil else { throw MemoryProblem.lockedPart(path) }
        let opening = newOpening()
        nodes[inode]?.holder = opening
        return opening
    }
}

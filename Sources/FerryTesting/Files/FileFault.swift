package import FerryCore

/// One failure of a file system, ordered by a test.
package struct FileFault: Hashable, Sendable {
    /// An operation on a file or a directory.
    package enum Operation: String, Hashable, Sendable, CaseIterable {
        case survey, createPart, takeName, openPart, openFinished, removePart, openStream,
            synchronizeDirectory, freeSpace, isReadOnly
        case reserve, write, truncate, read, digest, synchronize, publish

        /// Whether a read-only file system refuses it.
        var isChange: Bool {
            switch self {
            case .createPart, .takeName, .openPart, .removePart, .reserve, .write, .truncate, .publish: true
            case .survey, .openFinished, .openStream, .synchronizeDirectory, .freeSpace, .isReadOnly: false
            case .read, .digest, .synchronize: false
            }
        }
    }

    /// How much of the operation has happened when it fails.
    package enum Effect: Hashable, Sendable {
        /// Nothing.
        case none
        /// Half of it: the first half of a write; a publication whose rename was made but not synced; a sync after
        /// which the kernel has dropped the bytes that it could not write, so that they cannot be read back.
        case half
        /// All of it, although it reports a failure.
        case whole
    }

    /// The operation that fails.
    package var operation: Operation
    /// Which call of the operation fails, counted from the order; 1 is the next one.
    package var call: Int
    /// The reported problem.
    package var problem: StorageProblem
    /// What has happened despite the failure.
    package var effect: Effect

    /// Orders a failure.
    package init(
        _ operation: Operation,
        call: Int = 1,
        problem: StorageProblem = .ordered,
        effect: Effect = .none
    ) {
        self.operation = operation
        self.call = call
        self.problem = problem
        self.effect = effect
    }
}

extension StorageProblem {
    /// A temporary disk fault, as a test orders it.
    package static let ordered = StorageProblem(
        .transient(.storageFault, "The disk failed because the test said so."),
        errno: 5
    )
}

public import FerryCore

/// One failure of a file system that a test orders beforehand.
public struct FileFault: Hashable, Sendable {
    /// What is done to a file or a directory.
    public enum Operation: String, Hashable, Sendable, CaseIterable {
        case survey, createPart, takeName, openPart, openFinished, removePart, openStream,
            synchronizeDirectory, freeSpace
        case reserve, write, truncate, read, digest, synchronize, publish
    }

    /// What the operation has done by the time it fails.
    public enum Effect: Hashable, Sendable {
        /// Nothing.
        case none
        /// Half of it: the first half of a write; a publication whose rename was made and not synced; a sync after
        /// which the kernel has dropped what it could not write, so that it cannot be read back either.
        case half
        /// All of it, and yet it says that it failed.
        case whole
    }

    /// What is to fail.
    public var operation: Operation
    /// Which call of it is to fail, counted from the moment when the fault is ordered; 1 is the next one.
    public var call: Int
    /// What it says.
    public var problem: StorageProblem
    /// What it has done nevertheless.
    public var effect: Effect

    /// Orders a failure.
    public init(
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
    /// A passing fault of the disk, as a test orders it.
    public static let ordered = StorageProblem(
        .transient(.storageFault, "The disk failed because the test said so."),
        errno: 5
    )
}

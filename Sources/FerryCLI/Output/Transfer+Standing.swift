import Ferry

extension Transfer {
    /// Whether the bytes went to the standard output of a process, which no other process shares.
    var isStandardOutput: Bool { download?.specification.destination == .standardOutput }

    /// Whether no bytes were fetched because another file already had the name.
    var isSkipped: Bool {
        guard let download, state == .completed, finalPath != nil else { return false }
        return download.specification.options.existingFile == .noClobber && download.progress.part == nil
    }
}

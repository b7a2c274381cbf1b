import Ferry

extension Transfer {
    /// Whether the bytes went to the standard output of a process; another process has another one.
    var isStandardOutput: Bool { download?.specification.destination == .standardOutput }

    /// Whether nothing was fetched, because another file has the name already.
    var isSkipped: Bool {
        guard let download, state == .completed, finalPath != nil else { return false }
        return download.specification.options.existingFile == .noClobber && download.progress.part == nil
    }
}

extension DownloadSpecification {
    /// Where the final file and the part file are; `nil` for a stream and while no name is known.
    package func place(knowing progress: DownloadProgress) -> FilePlace? {
        guard case .file(let directory, let given) = destination, let name = progress.name ?? given else {
            return nil
        }
        return FilePlace(directory: directory, name: name, part: progress.part?.name, root: options.root)
    }
}

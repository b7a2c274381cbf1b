extension DownloadSpecification {
    /// Where the final file and the part file are; `nil` for a stream and while no name is known.
    package func place(knowing progress: DownloadProgress) -> FilePlace? {
        guard case .file(let directory, let given) = destination, let name = progress.name ?? given else {
            return nil
        }
        return FilePlace(directory: directory, name: name, part: progress.part?.name, root: options.root)
    }

    /// Whether it replaces a file whose name the user did not give: the name comes from the server or the URL. The user then
    /// cannot know that another transfer gets the same name.
    package var replacesUnnamed: Bool {
        guard case .file(_, nil) = destination else { return false }
        return options.existingFile == .overwrite
    }
}

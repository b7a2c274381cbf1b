public import FerryCore

extension Transfer {
    /// The path of the final file; `nil` for a stream and while no name is known.
    public var finalPath: String? { place?.path }

    /// Where the final file and the part file are; `nil` for a stream and while no name is known.
    var place: FilePlace? {
        guard let download, case .file(let directory, let given) = download.specification.destination,
            let name = download.progress.name ?? given
        else { return nil }
        return FilePlace(directory: directory, name: name, part: download.progress.part?.name)
    }

    /// The path of the part file, as long as the transfer has one.
    package var partPath: String? { download?.progress.part == nil ? nil : place?.partPath }
}

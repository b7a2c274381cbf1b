public import FerryCore

extension Transfer {
    /// The path of the final file; `nil` for a stream, while no name is known, and for anything but a download.
    public var finalPath: String? { place?.path }

    /// Where the final file and the part file are; `nil` when ``finalPath`` is `nil`.
    var place: FilePlace? { download?.place }

    /// The path of the part file, as long as the transfer has one.
    package var partPath: String? { download?.progress.part == nil ? nil : place?.partPath }
}

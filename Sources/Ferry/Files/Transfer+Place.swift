public import FerryCore

extension Transfer {
    /// The path of the final file; `nil` for a stream, while no name is known, and for anything but a download.
    public var finalPath: String? { place?.path }

    /// Where the final file and the part file are; `nil` when ``finalPath`` is `nil`.
    var place: FilePlace? { download?.place }

    /// The file that a completed transfer saved, as it was then; `nil` for any other, and when it saved none.
    package var placedFile: PlacedFile? {
        guard state == .completed, let progress = download?.progress, let file = progress.part,
            let length = progress.fileLength
        else { return nil }
        return PlacedFile(identity: file.identity, length: length, modified: file.modified)
    }

    /// The entity tag that the server gave with the file; `nil` if it gave none.
    package var sentETag: String? { download?.progress.validator.entityTag?.description }

    /// When the file was last modified, as the server gave it with the file; `nil` if it gave no time.
    package var sentTime: Instant? { download?.progress.validator.lastModifiedInstant }

    /// The path of the part file, as long as the transfer has one.
    package var partPath: String? { download?.progress.part == nil ? nil : place?.partPath }
}

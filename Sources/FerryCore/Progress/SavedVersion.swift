/// A file that an earlier transfer saved, and the version of the resource that it holds.
package struct SavedVersion: Hashable, Sendable, Codable {
    /// The saved file.
    private let file: PartFileClaim
    package let length: Int64
    private let mediaType: MediaType?
    let contentCoding: String?
    let isDecoded: Bool
    private let volunteered: Checksum?
    private let assurance: Assurance
    private let server: Origin?
    private let trail: RedirectTrail
    /// The URL that gave the bytes, as in ``DownloadProgress/source``.
    let source: String?
    /// The validator that the server gave with it.
    package let validator: Validator

    /// Takes what is known of the file of a completed download; `nil` if that saved none.
    ///
    /// - Parameter isAccepted: whether the file meets all that is required now. If not, the server is not asked to
    ///   compare, and the whole is fetched and verified.
    package init?(_ completed: DownloadProgress, isAccepted: Bool) {
        guard completed.phase == .publishing, let file = completed.part,
            let length = completed.segments.length
        else { return nil }
        self.file = file
        self.length = length
        mediaType = completed.mediaType
        contentCoding = completed.contentCoding
        isDecoded = completed.isDecoded
        volunteered = completed.volunteered
        assurance = completed.assurance
        server = completed.server
        trail = completed.trail
        source = completed.source
        validator = isAccepted ? completed.validator : Validator()
    }

    /// Takes a file that Ferry placed, without any other knowledge of it. The server is not asked to compare.
    package init(_ placed: PlacedFile) {
        file = PartFileClaim(
            name: .fallback,
            identity: placed.identity,
            boot: BootID(rawValue: ""),
            modified: placed.modified
        )
        length = placed.length
        (mediaType, contentCoding, isDecoded, volunteered) = (nil, nil, false, nil)
        (assurance, server, trail, source, validator) = (.single, nil, [], nil, Validator())
    }

    /// What the server is asked to compare; `nil` if it gave no validator.
    package var condition: Validator? { validator.isEmpty ? nil : validator }

    /// Which file it is.
    package var identity: FileIdentity { file.identity }

    /// Whether this is still the saved file, unchanged. Without a time of its last change, nothing shows that.
    package func isStill(_ entry: FileSurvey.Entry) -> Bool {
        let fileLength = file.seal?.fileLength(of: length) ?? length
        return PlacedFile(identity: file.identity, length: fileLength, modified: file.modified)
            .isStill(entry)
    }

    /// The progress of a download that finds the saved file up to date: all of its bytes are there.
    package func completed(as name: FileName?) -> DownloadProgress {
        var progress = DownloadProgress()
        progress.phase = .publishing
        progress.name = name
        progress.part = file
        let whole = Segment(range: 0..<length, written: length, durable: length)
        progress.segments = SegmentMap(segments: [whole]) ?? SegmentMap(length: length)
        progress.validator = validator
        progress.mediaType = mediaType
        progress.contentCoding = contentCoding
        progress.isDecoded = isDecoded
        progress.volunteered = volunteered
        progress.assurance = assurance
        progress.server = server
        progress.trail = trail
        progress.source = source
        return progress
    }
}

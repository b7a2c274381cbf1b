/// The persisted progress of a download: everything needed to resume it in another process.
package struct DownloadProgress: Hashable, Sendable {
    /// How far the attempt has come.
    package var phase: Phase
    /// The final name of the file; `nil` before it is decided.
    package var name: FileName?
    /// The part file that holds the bytes; `nil` before it exists.
    package var part: PartFileClaim?
    /// Which bytes were received.
    package var segments: SegmentMap
    /// The validator of the resource's version; every later answer must agree (I5).
    package var validator: Validator
    /// The media type of the first answer.
    package var mediaType: MediaType?
    /// The content coding that the server applied although identity was requested. The bytes have that form, unless
    /// they were decoded.
    package var contentCoding: String?
    /// Whether the body is decoded while it arrives. An encoded answer cannot be resumed: its bytes count only when
    /// all of them have arrived, which is when the length is known.
    package var isDecoded = false
    /// The digest that the server gave with this version of the resource. It is kept even if it does not count: a
    /// later request for the same file without `--ignore-server-digests` wants it compared.
    package var volunteered: Checksum?
    /// How versions were distinguished when the transfer was last resumed.
    package var assurance: Assurance
    /// The server that gave the bytes, after all redirects; `nil` before the first answer.
    package var server: Origin?
    /// The URL that gave the bytes, after all redirects, as ``HTTPURL/resource``. A validator compares the versions of
    /// one resource and says nothing about another resource (RFC 9110 §8.8).
    package var source: String?
    /// The kinds of connections over which the received bytes came.
    package var trail: RedirectTrail = []
    /// What is known of the mirrors, and which of them gave which bytes.
    package var mirroring: Mirroring = Mirroring()
    /// Where the part begins that is downloaded instead of the whole, in the version of the received bytes.
    package var partStart: Int64?
    /// The part file that the transfer left to the user when it was cancelled. It is not removed with the
    /// transfer; a later download of the same resource may take it over (``KeptPart``).
    package var kept: PartFileClaim?
    /// The file that an earlier transfer saved, as long as the server is asked whether it has another version, or the
    /// other version is not published yet.
    package var saved: SavedVersion?
    /// The explanation of the latest resume or restart, for display.
    package var note: TransferNote?
    /// The status of the first answer whose bytes were taken since the transfer was last queued by a command; before one, of the
    /// latest answer. After all redirects; `nil` before the first answer.
    package var status: Int?
    /// Number of successive requests for a part that the lead answered with something that contradicts itself, the
    /// request or what is known; see ``Download/mostRefusedParts``. After a whole was taken instead, one such answer is
    /// left.
    package var refusedParts = 0

    /// Creates the progress of a download that has not begun.
    package init() {
        phase = .receiving
        segments = SegmentMap(length: nil)
        validator = Validator()
        assurance = .single
    }

    /// How far an attempt has come.
    package enum Phase: String, Hashable, Sendable, Codable {
        /// Bytes are still to be received or verified.
        case receiving
        /// Verified and synced; the rename to the final name may or may not have happened.
        case publishing
    }
}

extension DownloadProgress {
    /// Whether the next attempt begins at the first byte although some were received: an encoded answer cannot be
    /// resumed.
    package var startsOver: Bool { isDecoded && !segments.isComplete }
}

extension DownloadProgress {
    /// Drops every claim on bytes and what describes them. The part file's claim stays.
    package mutating func forgetBytes() {
        segments = SegmentMap(length: nil)
        validator = Validator()
        mediaType = nil
        contentCoding = nil
        isDecoded = false
        volunteered = nil
        trail = []
        mirroring.forgetBytes()
        assurance = .single
        partStart = nil
        refusedParts = 0
        phase = .receiving
    }

    /// Drops every claim on the bytes of a file that is gone or was never made. The version that an answer named with a strong
    /// entity tag keeps its length, as a later answer of that version may give none (I1).
    package mutating func forgetFile() {
        let former = self
        forgetBytes()
        // A whole of no bytes would be complete without its file.
        guard former.validator.strength == .strongETag, !former.isDecoded,
            let length = former.segments.length, length > 0
        else { return }
        segments = SegmentMap(length: length)
        validator = former.validator
        contentCoding = former.contentCoding
    }
}

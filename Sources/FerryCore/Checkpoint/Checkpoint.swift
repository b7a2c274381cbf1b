/// The persisted progress of a download: everything needed to resume it in another process.
public struct Checkpoint: Hashable, Sendable {
    /// How far the attempt has come.
    public var phase: Phase
    /// The final name of the file; `nil` before it is decided.
    public var name: FileName?
    /// The part file that holds the bytes; `nil` before it exists.
    public var part: PartFileClaim?
    /// Which bytes were received.
    public var segments: SegmentMap
    /// The validator of the resource's version; every later answer must agree (I5).
    public var validator: Validator
    /// The media type of the first answer.
    public var mediaType: MediaType?
    /// The content coding that the server applied although identity was requested. The bytes have that form, unless
    /// they were decoded.
    public var contentCoding: String?
    /// Whether the body is decoded while it arrives. An encoded answer cannot be resumed: its bytes count only when
    /// all of them have arrived, which is when the length is known.
    public var isDecoded = false
    /// The digest that the server gave with this version of the resource. It is kept even if it does not count: a
    /// later request for the same file without `--ignore-server-digests` wants it compared.
    public var volunteered: Checksum?
    /// How versions were told apart when the transfer was last resumed.
    public var assurance: Assurance
    /// The server that gave the bytes, after all redirects; `nil` before the first answer.
    public var server: Origin?
    /// The URL that gave the bytes, after all redirects, as ``HTTPURL/resource``. A validator compares the versions
    /// of one resource and says nothing of another (RFC 9110 §8.8).
    public var source: String?
    /// The kinds of connections over which the received bytes came.
    public var trail: RedirectTrail = []
    /// What is known of the mirrors, and which of them gave which bytes.
    public var mirroring: Mirroring = Mirroring()
    /// The explanation of the latest resume or restart, for display.
    public var note: String?
    /// Number of successive requests for a part that the lead answered with something that contradicts itself, the
    /// request or what is known; see ``DownloadMachine/mostRefusedParts``.
    public var refusedParts = 0

    /// Creates an empty checkpoint.
    public init() {
        phase = .receiving
        segments = SegmentMap(length: nil)
        validator = Validator()
        assurance = .single
    }

    /// How far an attempt has come.
    public enum Phase: String, Hashable, Sendable, Codable {
        /// Bytes are still to be received or verified.
        case receiving
        /// Verified and synced; the rename to the final name may or may not have happened.
        case publishing
    }

    /// The evidence that all bytes are of one version (I5).
    public enum Assurance: String, Hashable, Sendable, Codable, Comparable {
        /// One response gave every byte.
        case single
        /// A strong validator matched in every response, or a digest finally proves that all bytes belong together.
        case proved = "validator"
        /// All that the server gave matched, and the overlap was compared.
        case overlapChecked = "overlap-checked"

        /// Whether `lhs` is stronger evidence than `rhs`.
        public static func < (lhs: Assurance, rhs: Assurance) -> Bool { lhs.rank < rhs.rank }

        private var rank: Int {
            switch self {
            case .single: 0
            case .proved: 1
            case .overlapChecked: 2
            }
        }
    }
}

extension Checkpoint {
    /// Whether the next attempt begins at the first byte although some were received: an encoded answer cannot be
    /// resumed.
    public var startsOver: Bool { isDecoded && !segments.isComplete }
}

extension Checkpoint {
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
        refusedParts = 0
        phase = .receiving
    }
}

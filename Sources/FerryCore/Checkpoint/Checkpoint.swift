/// The persisted progress of a download: all that is needed to go on after this process is gone.
public struct Checkpoint: Hashable, Sendable {
    /// How far the attempt has come.
    public var phase: Phase
    /// The final name of the file, once it is decided.
    public var name: FileName?
    /// The part file that holds the bytes; `nil` before it exists.
    public var part: PartFileClaim?
    /// Which bytes are there.
    public var segments: SegmentMap
    /// What the server said about the version of the resource; every later answer must agree (I5).
    public var validator: Validator
    /// The media type of the first answer.
    public var mediaType: MediaType?
    /// The content coding that the server applied although identity was asked for; the bytes are of that form,
    /// unless they were decoded.
    public var contentCoding: String?
    /// Whether the content coding is undone on the way. What a server has encoded cannot be continued: the bytes count only
    /// once all of them have come, which is when the length is known.
    public var isDecoded = false
    /// The digest that the server gave along with this version of the resource. It is kept where it is not to count, too:
    /// who asks for the same without `--ignore-server-digests` wants it compared.
    public var volunteered: Checksum?
    /// How versions were told apart when the transfer was last resumed.
    public var assurance: Assurance
    /// Who gave the bytes, after all redirects; `nil` before the first answer.
    public var server: Origin?
    /// Where the bytes came from, after all redirects, as ``HTTPURL/resource`` tells it. Validators tell the versions of one
    /// resource apart, and say nothing of another (RFC 9110 §8.8).
    public var source: String?
    /// By which connections the bytes came that are there.
    public var trail: RedirectTrail = []
    /// What is known of the mirrors, and which of them gave what.
    public var mirroring: Mirroring = Mirroring()
    /// The explanation of the latest resumption or restart, for people.
    public var note: String?
    /// How many requests for a part in a row the lead has answered with what contradicts itself, the request or what is
    /// known; see ``Download/mostRefusedParts``.
    public var refusedParts = 0

    /// A checkpoint of which nothing is known yet.
    public init() {
        phase = .receiving
        segments = SegmentMap(length: nil)
        validator = Validator()
        assurance = .single
    }

    /// How far an attempt has come.
    public enum Phase: String, Hashable, Sendable, Codable {
        /// Bytes are still to come, or to be verified.
        case receiving
        /// Verified and synced; the rename to the final name may or may not have happened.
        case publishing
    }

    /// What the claim that all bytes are of one version rests on (I5).
    public enum Assurance: String, Hashable, Sendable, Codable, Comparable {
        /// One response gave every byte.
        case single
        /// A strong validator agreed on every response, or a digest tells in the end whether all belong together.
        case proved = "validator"
        /// All that the server gave agreed, and the overlap was compared.
        case overlapChecked = "overlap-checked"

        /// Whether one claim rests on less than another.
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
    /// Whether the next attempt begins at the first byte although bytes are there: what a server has encoded cannot be
    /// continued.
    public var startsOver: Bool { isDecoded && !segments.isComplete }
}

extension Checkpoint {
    /// Drops every claim on bytes, and what they were bytes of; the part file's claim and the best mark stay.
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

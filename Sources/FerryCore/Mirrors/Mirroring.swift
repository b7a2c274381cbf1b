/// What a download with several sources knows of them.
public struct Mirroring: Hashable, Sendable {
    /// The source that told what is recorded of the resource: its length, its validator, its type.
    public var lead = SourceID.own
    /// The digest and the mirrors that the latest first answer of the download's own URL told; `nil` where it told no
    /// digest.
    public var discovery: Discovery?
    /// The version that each of the other sources serves.
    public var versions: [SourceID: Version] = [:]
    /// The sources that are not used any more, and why.
    public var excluded: [SourceID: Exclusion] = [:]
    /// Who gave which bytes; empty while the lead gave all of them.
    public var provenance = Provenance()
    /// Whether one source alone is to give what is missing, because bytes of several did not fit together.
    public var isAlone = false
    /// The digest of what a source gave that is not used any more for that.
    public var wrongDigest: Checksum?
    /// How often pieces were dropped because their digests did not match.
    public var repairs = 0

    /// One source, of which nothing is known.
    public init() {}

    /// The version of the resource that a source serves. Every later answer of it must agree (I5).
    public struct Version: Hashable, Sendable, Codable {
        /// The validator.
        public var validator: Validator
        /// Who answered, after all redirects.
        public var server: Origin?
        /// Where the answer came from, after all redirects: the URL without its secrets.
        public var source: String?

        /// Creates a version; without anything it is one of which nothing is known.
        public init(validator: Validator = Validator(), server: Origin? = nil, source: String? = nil) {
            self.validator = validator
            self.server = server
            self.source = source
        }

        /// This version as a later answer tells it, with what only an earlier one gave.
        func completed(by later: Version) -> Version {
            Version(
                validator: validator.completed(by: later.validator),
                server: later.server ?? server,
                source: later.source ?? source
            )
        }
    }

    /// Why a source is not used any more.
    public enum Exclusion: String, Hashable, Sendable, Codable {
        /// It serves a file of another length.
        case length
        /// It serves other bytes at a place where some are there.
        case bytes
        /// It tells another digest than the file must have.
        case digest
        /// What it gave was not what the digest of the file, or of a piece, says.
        case wrongBytes = "wrong-bytes"
        /// It has changed since it gave bytes.
        case changed
    }

    /// Forgets all that hangs on bytes which are dropped; who has given wrong ones is kept, and so is what the
    /// download's own URL told, as it is of the resource and not of those bytes.
    mutating func forgetBytes() {
        lead = .own
        versions = [:]
        provenance = Provenance()
        excluded = excluded.filter { $0.value == .wrongBytes }
    }

    /// The download's own URL is another one now: what is known of the former one stays with that.
    mutating func replaceOwn(_ former: HTTPURL) {
        excluded[.mirror(former)] = excluded.removeValue(forKey: .own)
        provenance = provenance.renaming(.own, to: .mirror(former))
    }
}

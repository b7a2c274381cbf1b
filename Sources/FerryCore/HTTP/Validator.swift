public import HTTPTypes

/// What one response said about the version of its resource (RFC 9110 §8.8).
public struct Validator: Hashable, Sendable, Codable {
    /// The entity tag.
    public let entityTag: EntityTag?
    /// The `Last-Modified` field as it came, to be sent back as it is.
    public let lastModified: String?
    /// The moment that `lastModified` names; `nil` when it is no HTTP date.
    public let lastModifiedInstant: Instant?
    /// When the response was made, by the server's own clock.
    public let date: Instant?

    /// A validator that says nothing.
    public init() {
        self.init(entityTag: nil, lastModified: nil, date: nil, receivedAt: .epoch)
    }

    /// Creates a validator of its parts; `receivedAt` decides the century of a date with a two-digit year.
    public init(entityTag: EntityTag?, lastModified: String?, date: Instant?, receivedAt now: Instant) {
        self.entityTag = entityTag
        self.lastModified = lastModified
        lastModifiedInstant = lastModified.flatMap { Instant(httpDate: $0, now: now) }
        self.date = date
    }

    /// Takes `ETag`, `Last-Modified` and `Date` from the fields of a response.
    public init(_ fields: HTTPFields, receivedAt now: Instant) {
        let lastModified = fields[.lastModified].map { Array($0.utf8).trimmingBlanks.text }
        self.init(
            entityTag: fields[.eTag].flatMap { EntityTag($0) },
            lastModified: lastModified?.isEmpty == false ? lastModified : nil,
            date: fields[.date].flatMap { Instant(httpDate: $0, now: now) },
            receivedAt: now
        )
    }

    /// This validator, with what it lacks from another response for the same version.
    public func completed(by other: Validator) -> Validator {
        let takesDate = lastModified == nil
        return Validator(
            entityTag: entityTag ?? other.entityTag,
            lastModified: takesDate ? other.lastModified : lastModified,
            lastModifiedInstant: takesDate ? other.lastModifiedInstant : lastModifiedInstant,
            date: takesDate ? other.date ?? date : date
        )
    }

    private init(
        entityTag: EntityTag?,
        lastModified: String?,
        lastModifiedInstant: Instant?,
        date: Instant?
    ) {
        self.entityTag = entityTag
        self.lastModified = lastModified
        self.lastModifiedInstant = lastModifiedInstant
        self.date = date
    }

    /// Whether the response gave no validator at all.
    public var isEmpty: Bool { entityTag == nil && lastModified == nil }

    /// Whether equal `Last-Modified` fields promise equal bytes (RFC 9110 §8.8.2.2).
    ///
    /// That is so when the response was made at least one second after the change: a second change within the
    /// same second would have gone unseen. (RFC 7232 asked for 60 seconds.) Without a `Date` nothing is known.
    public var lastModifiedIsStrong: Bool {
        guard let lastModifiedInstant, let date else { return false }
        return lastModifiedInstant.duration(to: date) >= .seconds(1)
    }

    /// How much a match is worth.
    public enum Strength: String, Hashable, Sendable, Codable, CaseIterable {
        /// A strong entity tag: it can be asked for with `If-Range` and `If-Match`.
        case strongETag
        /// A strong modification date: it can be asked for with `If-Range`.
        case strongDate
        /// Something, which must agree on every response but proves nothing.
        case weak
        /// Nothing.
        case none
    }

    /// The strongest thing that this validator has.
    public var strength: Strength {
        if entityTag?.isStrong == true { return .strongETag }
        if lastModifiedIsStrong { return .strongDate }
        return isEmpty ? .none : .weak
    }

    /// Whether any validator that both responses gave differs, so that they cannot be of one version (I5).
    ///
    /// Entity tags are compared weakly; dates by the moment they name, or by their text when they name none.
    /// What only one of them gave contradicts nothing.
    public func contradicts(_ other: Validator) -> Bool {
        if let entityTag, let theirs = other.entityTag, !entityTag.weakMatches(theirs) { return true }
        guard let lastModified, let theirs = other.lastModified else { return false }
        if let lastModifiedInstant, let theirInstant = other.lastModifiedInstant {
            return lastModifiedInstant != theirInstant
        }
        return !lastModified.utf8.elementsEqual(theirs.utf8)
    }
}

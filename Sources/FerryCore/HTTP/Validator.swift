package import HTTPTypes

/// What one response says about the version of its resource (RFC 9110 §8.8).
package struct Validator: Hashable, Sendable, Codable {
    /// The entity tag.
    package let entityTag: EntityTag?
    /// The unchanged `Last-Modified` field, to be sent back.
    package let lastModified: String?
    /// The moment of `lastModified`; `nil` when it is not an HTTP date.
    package let lastModifiedInstant: Instant?
    /// When the response was created, by the server's clock.
    package let date: Instant?

    /// Creates an empty validator.
    package init() {
        self.init(entityTag: nil, lastModified: nil, date: nil, receivedAt: .epoch)
    }

    /// Creates a validator from its parts; `receivedAt` decides the century of a date with a two-digit year.
    package init(entityTag: EntityTag?, lastModified: String?, date: Instant?, receivedAt now: Instant) {
        self.entityTag = entityTag
        self.lastModified = lastModified
        lastModifiedInstant = lastModified.flatMap { Instant(httpDate: $0, now: now) }
        self.date = date
    }

    /// Takes `ETag`, `Last-Modified` and `Date` from the fields of a response.
    package init(_ fields: HTTPFields, receivedAt now: Instant) {
        let lastModified = fields.value(of: .lastModified).map { Array($0.utf8).trimmingBlanks.text }
        self.init(
            entityTag: fields.value(of: .eTag).flatMap { EntityTag($0) },
            lastModified: lastModified?.isEmpty == false ? lastModified : nil,
            date: fields.value(of: .date).flatMap { Instant(httpDate: $0, now: now) },
            receivedAt: now
        )
    }

    /// Returns this validator, with missing parts from another response for the same version.
    package func completed(by other: Validator) -> Validator {
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
    package var isEmpty: Bool { entityTag == nil && lastModified == nil }

    /// Whether equal `Last-Modified` fields promise equal bytes (RFC 9110 §8.8.2.2).
    ///
    /// That holds if the response was created at least one second after the change: a second change within the same
    /// second would be invisible. (RFC 7232 required 60 seconds.) Without a `Date` nothing is known.
    package var lastModifiedIsStrong: Bool {
        guard let lastModifiedInstant, let date else { return false }
        return lastModifiedInstant.duration(to: date) >= .seconds(1)
    }

    /// What a match proves.
    package enum Strength: String, Hashable, Sendable, Codable, CaseIterable {
        /// A strong entity tag: usable with `If-Range` and `If-Match`.
        case strongETag
        /// A strong modification date: usable with `If-Range`.
        case strongDate
        /// Some validator, which must match in every response but proves nothing.
        case weak
        /// No validator.
        case none
    }

    /// The strength of the strongest part.
    package var strength: Strength {
        if entityTag?.isStrong == true { return .strongETag }
        if lastModifiedIsStrong { return .strongDate }
        return isEmpty ? .none : .weak
    }

    /// Whether it pins the version of each part, so that parts of several answers are of one version (I5).
    package var pinsParts: Bool {
        switch strength {
        case .strongETag: true
        case .strongDate: entityTag == nil
        case .weak, .none: false
        }
    }

    /// Whether any validator that both responses gave differs, so that they cannot be of one version (I5).
    ///
    /// Entity tags are compared weakly. Dates are compared by their moment, or by their text if they name none. A
    /// validator that only one of them gave contradicts nothing.
    package func contradicts(_ other: Validator) -> Bool {
        if let entityTag, let theirs = other.entityTag, !entityTag.weakMatches(theirs) { return true }
        return hasOtherDate(than: other)
    }

    /// Whether both responses gave a modification date, and these differ.
    package func hasOtherDate(than other: Validator) -> Bool {
        guard let lastModified, let theirs = other.lastModified else { return false }
        if let lastModifiedInstant, let theirInstant = other.lastModifiedInstant {
            return lastModifiedInstant != theirInstant
        }
        return !lastModified.hasSameOctets(as: theirs)
    }
}

package import HTTPTypes

/// What one connection requests: the whole resource, or the rest of a segment under a condition.
package struct RangeRequest: Hashable, Sendable {
    /// The first byte requested; 0 with no ``range`` field requests the whole resource.
    package var from: Int64
    /// The end of the requested range, exclusive; `nil` requests everything from `from` on.
    package var upTo: Int64?
    /// The condition under which the server may answer with a part.
    package var condition: Condition
    /// The mirror to ask; `nil` asks the download's own URL.
    package var mirror: HTTPURL?
    /// The part of the resource that counts as the whole; `nil` for all of it.
    package var part: RequestedPart?
    /// The version of the saved file: a request for the whole is answered with 304 if the resource still has it.
    package var unless: Validator?

    /// The condition that limits a request to the version of the received bytes.
    package enum Condition: Hashable, Sendable {
        /// No bytes were received: the whole resource, whatever its version.
        case none
        /// `If-Range` with a strong entity tag: the part if it still matches, else the whole (RFC 9110 §13.1.5).
        case ifRange(EntityTag)
        /// `If-Match` with a strong entity tag: the part if it still matches, else 412 (RFC 9110 §13.1.1).
        case ifMatch(EntityTag)
        /// `If-Range` with a date that is a strong validator (RFC 9110 §8.8.2.2).
        case ifUnmodifiedDate(String)
        /// No strong validator is known: this number of received bytes is requested again and compared.
        case overlap(Int64)
    }

    /// How far back a resume without a strong validator reaches, in bytes.
    package static let overlapLength: Int64 = 64 * 1024

    /// A request for the whole resource.
    package static let whole = RangeRequest(from: 0, upTo: nil, condition: .none)

    /// Creates a request.
    package init(from: Int64, upTo: Int64?, condition: Condition) {
        self.from = from
        self.upTo = upTo
        self.condition = condition
    }

    /// Whether this asks for the whole resource without a condition.
    package var isWhole: Bool { condition == .none }

    /// Whether it has `If-Range`, which some servers ignore.
    var usesIfRange: Bool {
        switch condition {
        case .ifRange, .ifUnmodifiedDate: true
        case .none, .ifMatch, .overlap: false
        }
    }

    /// Whether it requests the version with a certain entity tag.
    var pinsEntityTag: Bool {
        switch condition {
        case .ifRange, .ifMatch: true
        case .none, .ifUnmodifiedDate, .overlap: false
        }
    }

    /// The header fields of this request (RFC 9110 §14.2).
    package var headers: HTTPFields {
        var fields = HTTPFields()
        fields[.ifNoneMatch] = unless?.entityTag?.description
        fields[.ifModifiedSince] = unless?.lastModified
        if let part {
            fields[.range] = part.field(of: self)
        } else if !isWhole {
            fields[.range] = "bytes=\(from)-\(upTo.map { String($0 - 1) } ?? "")"
        }
        switch condition {
        case .none, .overlap: break
        case .ifRange(let tag): fields[.ifRange] = tag.description
        case .ifMatch(let tag): fields[.ifMatch] = tag.description
        case .ifUnmodifiedDate(let date): fields[.ifRange] = date
        }
        return fields
    }
}

extension RangeRequest {
    /// Returns the strongest request that continues a segment, given what is known of the resource.
    ///
    /// - Parameters:
    ///   - segment: the segment whose rest is wanted.
    ///   - progress: what is known.
    ///   - traits: what the server is known to do.
    ///   - strict: whether to request the whole resource when no strong validator is known.
    package static func resuming(
        _ segment: Segment,
        of progress: DownloadProgress,
        server traits: ServerTraits,
        strict: Bool
    ) -> RangeRequest {
        guard progress.segments.received > 0 || progress.segments.segments.count > 1 else {
            return .whole
        }
        // The server has the resource in another form, whose ranges differ.
        guard !progress.isDecoded else { return .whole }
        let end: Int64? =
            segment.range.upperBound == progress.segments.length || segment.range.upperBound == .max
            ? nil : segment.range.upperBound
        if let condition = condition(pinnedBy: progress.validator, server: traits) {
            return RangeRequest(from: segment.written, upTo: end, condition: condition)
        }
        return strict ? .whole : overlapping(segment, upTo: end)
    }

    /// Returns a request for received bytes, which are only compared.
    static func comparing(
        _ window: Range<Int64>,
        pinnedBy validator: Validator,
        server traits: ServerTraits
    ) -> RangeRequest {
        RangeRequest(
            from: window.lowerBound,
            upTo: window.upperBound,
            condition: condition(pinnedBy: validator, server: traits)
                ?? .overlap(window.upperBound - window.lowerBound)
        )
    }

    /// The condition that a strong validator allows.
    private static func condition(pinnedBy validator: Validator, server traits: ServerTraits) -> Condition? {
        if let tag = validator.entityTag, tag.isStrong {
            return traits.lacksIfRange ? .ifMatch(tag) : .ifRange(tag)
        }
        guard validator.pinsParts, let date = validator.lastModified else { return nil }
        return .ifUnmodifiedDate(date)
    }

    /// Returns a request that reaches back over received bytes of the segment.
    static func overlapping(_ segment: Segment, upTo end: Int64?) -> RangeRequest {
        let overlap = min(overlapLength, segment.written - segment.range.lowerBound)
        return RangeRequest(from: segment.written - overlap, upTo: end, condition: .overlap(overlap))
    }
}

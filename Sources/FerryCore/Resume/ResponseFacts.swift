import HTTPTypes

/// What a response to a download says about itself, read from its head.
package struct ResponseFacts: Hashable, Sendable {
    /// The URL that answered, after all redirects; `nil` if unknown.
    package var url: HTTPURL?
    /// The server that answered.
    package var server: Origin? { url?.origin }
    /// The kinds of connections that led to the answer.
    package var trail: RedirectTrail
    /// The status code.
    package var status: Int
    /// The length of the body, if it is framed by one.
    package var bodyLength: Int64?
    /// Whether the body marks its own end, so that a truncation is noticed.
    package var isChunked: Bool
    /// The `Content-Range` field.
    package var contentRange: RangeField
    /// The validators that came with it.
    package var validator: Validator
    /// Its media type.
    package var mediaType: MediaType?
    /// Whether a content coding other than identity was applied.
    package var isEncoded: Bool { contentCoding != nil }
    /// The content codings other than identity, in the order applied; `nil` if there are none.
    package var contentCoding: String?
    /// How long the server asks to wait; `nil` if it does not.
    package var retryAfter: Duration?
    /// The file name that the server proposes.
    package var disposition: ContentDisposition?
    /// The digest of the whole file that the server gives.
    package var digest: Checksum?
    /// The mirrors that the server names, the best first (RFC 6249).
    package var mirrors: [HTTPURL]
    /// Where the part begins that counts as the whole; `nil` if all of the resource does.
    package var partStart: Int64?
    /// Why an object store refuses a signed URL, as its body says; `nil` if it was not read, or says nothing.
    package var refusal: StoreRefusal?
    /// Whether the request had credentials; `nil` if unknown.
    package var hadCredentials: Bool?

    /// The state of a `Content-Range` field.
    package enum RangeField: Hashable, Sendable {
        /// The field is absent.
        case absent
        /// The field cannot be read, or occurs more than once.
        case unreadable
        /// The field has this value.
        case present(ContentRange)
    }

    /// Reads the facts of a head that arrived from `url` at `now`, after the redirects of `hops`.
    package init(
        _ head: ResponseHead,
        from url: HTTPURL? = nil,
        after hops: [HTTPURL] = [],
        at now: Instant
    ) {
        self.url = url
        trail = RedirectTrail(through: hops + (url.map { [$0] } ?? []))
        status = head.status
        bodyLength = head.bodyLength.flatMap { $0 < 0 ? nil : $0 }
        isChunked = head.headers[values: .transferEncoding].contains {
            $0.utf8.map(\.lowercasedASCII).contains(octets: Array("chunked".utf8))
        }
        let ranges = head.headers[values: .contentRange]
        contentRange =
            switch ranges.count {
            case 0: .absent
            case 1: ContentRange(ranges[0]).map(RangeField.present) ?? .unreadable
            default: .unreadable
            }
        validator = Validator(head.headers, receivedAt: now)
        mediaType = head.headers.value(of: .contentType).flatMap { MediaType($0) }
        let applied = ContentCoding.names(in: head.headers[values: .contentEncoding])
        contentCoding = applied.isEmpty ? nil : applied.joined(separator: ",")
        retryAfter = RetryAfter.wait(askedBy: head.headers, at: now)
        disposition = ContentDisposition(head.headers)
        digest = VolunteeredDigest.strongest(of: VolunteeredDigest.all(in: head))?.checksum
        let links = Link.links(in: head.headers.filter { $0.name.canonicalName == "link" }.map(\.value))
        mirrors = url.map { MirrorLink.mirrors(in: links, of: $0).map(\.url) } ?? []
    }
}

extension ResponseFacts {
    /// Whether the answer is of the resource with this name, unless either is unknown. A redirect may lead to
    /// another one, whose validators can match by chance.
    func isOf(resource known: String?) -> Bool {
        guard let known, let now = url?.resource else { return true }
        return known == now
    }

    /// Reads an answer that evidently brings the whole as a plain 200.
    ///
    /// Some servers answer 206 although no range was requested. Others name the range of the whole in a 200, where that
    /// field has no meaning (RFC 9110 §14.4). The body is the whole if range, total and framed length agree. Any other
    /// such answer stays as it is, and ``ResponseJudge`` refuses it. So does an answer to a request for a
    /// ``RequestedPart``, which always asks for a range.
    package func readAsWhole(answering request: RangeRequest) -> ResponseFacts {
        guard status == 200 || (status == 206 && request.isWhole), request.part == nil,
            case .present(.bytes(let range, let total)) = contentRange,
            range.lowerBound == 0, range.upperBound == total, bodyLength == total,
            mediaType?.isSeveralRanges != true
        else { return self }
        var facts = self
        (facts.status, facts.contentRange) = (200, .absent)
        return facts
    }
}

import FerryCore
public import HTTPTypes

/// One resource of a scripted origin, as it is at the moment.
public struct ScriptedResource: Sendable {
    /// The bytes of the present version.
    public var bytes: [UInt8]
    /// The `ETag` field; `nil` sends none.
    public var entityTag: String?
    /// The `Last-Modified` field; `nil` sends none.
    public var lastModified: String?
    /// The `Content-Type` field.
    public var mediaType: String? = "application/octet-stream"
    /// More fields of every answer that has content.
    public var headers: HTTPFields = [:]
    /// Whether `Range` is looked at.
    public var servesRanges = true
    /// Whether `If-Range` is looked at; a server that does not sends the part whatever the version.
    public var honoursIfRange = true
    /// Whether `If-Match` is looked at.
    public var honoursIfMatch = true
    /// Whether a whole body has a `Content-Length`.
    public var tellsLength = true
    /// Where to go instead, with which status.
    public var redirect: (status: Int, location: String)?

    /// A resource with these bytes.
    public init(_ bytes: [UInt8], entityTag: String? = nil, lastModified: String? = nil) {
        self.bytes = bytes
        self.entityTag = entityTag
        self.lastModified = lastModified
    }
}

extension ScriptedResource {
    /// What this resource answers to a request, by RFC 9110 as far as the switches let it: head and body.
    func answer(_ request: TransportRequest, at now: Instant) -> (ResponseHead, ArraySlice<UInt8>) {
        if let redirect {
            return (
                ResponseHead(status: redirect.status, headers: [.location: redirect.location], bodyLength: 0),
                []
            )
        }
        var fields = headers
        fields[.date] = now.httpDate
        fields[.eTag] = entityTag
        fields[.lastModified] = lastModified
        fields[.contentType] = mediaType
        if honoursIfMatch, let wanted = request.headers[.ifMatch], wanted != entityTag {
            return (ResponseHead(status: 412, headers: fields, bodyLength: 0), [])
        }
        guard servesRanges, let range = request.headers[.range].flatMap(requestedRange), ifRangeHolds(request)
        else {
            let length = tellsLength ? Int64(bytes.count) : nil
            return (ResponseHead(status: 200, headers: fields, bodyLength: length), bytes[...])
        }
        guard !range.isEmpty else {
            fields[.contentRange] = "bytes */\(bytes.count)"
            return (ResponseHead(status: 416, headers: fields, bodyLength: 0), [])
        }
        fields[.contentRange] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(bytes.count)"
        return (ResponseHead(status: 206, headers: fields, bodyLength: Int64(range.count)), bytes[range])
    }

    private func ifRangeHolds(_ request: TransportRequest) -> Bool {
        guard honoursIfRange, let wanted = request.headers[.ifRange] else { return true }
        return wanted == entityTag || wanted == lastModified
    }

    /// The range of a field such as `bytes=5-` or `bytes=5-9`; empty when it lies behind the end, `nil` when it is
    /// not understood.
    private func requestedRange(_ field: String) -> Range<Int>? {
        guard field.hasPrefix("bytes=") else { return nil }
        let parts = field.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let first = Int(parts[0]) else { return nil }
        let last = Int(parts[1]) ?? bytes.count - 1
        guard first < bytes.count else { return bytes.count..<bytes.count }
        return first..<min(max(first, last + 1), bytes.count)
    }
}

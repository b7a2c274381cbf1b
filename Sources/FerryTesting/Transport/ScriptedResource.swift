import FerryCore
package import HTTPTypes

/// One resource of a scripted origin, in its current version.
package struct ScriptedResource: Sendable {
    /// The bytes of the current version.
    package var bytes: [UInt8]
    /// The `ETag` field; `nil` sends none.
    package var entityTag: String?
    /// The `Last-Modified` field; `nil` sends none.
    package var lastModified: String?
    /// The `Content-Type` field.
    package var mediaType: String? = "application/octet-stream"
    /// Additional fields of every response with content.
    package var headers: HTTPFields = [:]
    /// Whether the server honours `Range`.
    package var servesRanges = true
    /// Whether the server honours `If-Range`; one that does not sends the part for any version.
    package var honoursIfRange = true
    /// Whether the server honours `If-Match`.
    package var honoursIfMatch = true
    /// Whether a whole body has a `Content-Length`.
    package var tellsLength = true
    /// The only `Authorization` field that is accepted; with `nil` any, also none.
    package var authorization: String?
    /// The status and location of a redirect.
    package var redirect: (status: Int, location: String)?

    /// Creates a resource with these bytes.
    package init(_ bytes: [UInt8], entityTag: String? = nil, lastModified: String? = nil) {
        self.bytes = bytes
        self.entityTag = entityTag
        self.lastModified = lastModified
    }
}

extension ScriptedResource {
    /// The response of this resource by RFC 9110, within its switches: head and body.
    func answer(_ request: TransportRequest, at now: Instant) -> (ResponseHead, ArraySlice<UInt8>) {
        if let authorization, request.headers[.authorization] != authorization {
            return (ResponseHead(status: 401, headers: [:], bodyLength: 0), [])
        }
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
        if request.method == .head {
            fields[.contentLength] = String(bytes.count)
            return (ResponseHead(status: 200, headers: fields, bodyLength: 0), [])
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

    /// The range of a field such as `bytes=5-` or `bytes=5-9`; empty when it is after the end, `nil` when it is
    /// invalid.
    private func requestedRange(_ field: String) -> Range<Int>? {
        guard field.hasPrefix("bytes=") else { return nil }
        let parts = field.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let first = Int(parts[0]) else { return nil }
        let last = Int(parts[1]) ?? bytes.count - 1
        guard first < bytes.count else { return bytes.count..<bytes.count }
        return first..<min(max(first, last + 1), bytes.count)
    }
}

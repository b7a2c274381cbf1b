import Hummingbird

/// The answer to a request for a component (RFC 9110 §13 and §14).
struct ComponentAnswer {
    /// The bytes to send; `nil` for 304 Not Modified.
    var range: Range<Int>?
    var length: Int
    var etag: String

    /// Decides by the header fields of a request.
    init(_ fields: HTTPFields, length: Int, etag: String) throws {
        (self.length, self.etag) = (length, etag)
        if let wanted = fields[.init("If-Match")!], wanted != etag { throw HTTPError(.preconditionFailed) }
        if fields[.init("If-None-Match")!] == etag { return }
        range = 0..<length
        let condition = fields[.init("If-Range")!]
        guard let text = fields[.init("Range")!], condition == nil || condition == etag else { return }
        guard let asked = Self.range(text, of: length) else { throw HTTPError(.rangeNotSatisfiable) }
        range = asked
    }

    /// Whether this is a range, and not all of it.
    var isPart: Bool { range.map { $0 != 0..<length } ?? false }

    /// A range such as `bytes=10-19` or `bytes=10-`.
    private static func range(_ text: String, of length: Int) -> Range<Int>? {
        let ends = text.dropFirst("bytes=".count).split(separator: "-", omittingEmptySubsequences: false)
        guard text.hasPrefix("bytes="), ends.count == 2, let first = Int(ends[0]), first < length else {
            return nil
        }
        let last = Int(ends[1]) ?? length - 1
        return first <= last ? first..<min(last + 1, length) : nil
    }

    /// The response.
    ///
    /// - Parameters:
    ///   - what: the name of the component and its version.
    ///   - log: where to note what was sent; `nil` for nowhere.
    func response(_ bytes: [UInt8], of what: String, notedIn log: AnswerLog?) -> Response {
        var fields: HTTPFields = [.init("ETag")!: etag, .init("Accept-Ranges")!: "bytes"]
        guard let range else { return Response(status: .notModified, headers: fields) }
        if isPart {
            fields[.init("Content-Range")!] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(length)"
        }
        let extent: AnswerLog.Extent = isPart ? .part : .whole
        let body = ResponseBody(contentLength: range.count) { writer in
            await log?.begin()
            do {
                for start in stride(from: range.lowerBound, to: range.upperBound, by: Self.piece) {
                    // A kill finds large answers half sent.
                    if start > range.lowerBound { try await Task.sleep(for: .milliseconds(20)) }
                    let piece = bytes[start..<min(start + Self.piece, range.upperBound)]
                    try await writer.write(ByteBuffer(bytes: piece))
                }
                try await writer.finish(nil)
            } catch {
                await log?.end(what, .cut)
                throw error
            }
            await log?.end(what, extent)
        }
        return Response(status: isPart ? .partialContent : .ok, headers: fields, body: body)
    }

    private static let piece = 16 << 10
}

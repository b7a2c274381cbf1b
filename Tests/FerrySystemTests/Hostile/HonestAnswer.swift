/// The answer of a correct server with a version of a file, and the flaws that it has nevertheless.
struct HonestAnswer: Sendable {
    var version: String
    /// The number of body bytes that it sends before it ends the connection.
    var cut: ScenarioNumber?
    /// Its rate in bytes per second; `nil` for no limit.
    var pace: Int?
    /// How it ends the connection after the cut.
    var end = End.close
    var flaws: Set<Flaw> = []
    /// Additional header fields.
    var fields: [ScenarioText] = []

    enum End: String, Sendable {
        case close
        case reset
        case hold
    }

    enum Flaw: String, Sendable {
        /// Sends the whole file for every request.
        case ignoresRange = "ignores-range"
        /// Treats every condition as true.
        case ignoresIfRange = "ignores-if-range"
        /// Sends the whole file for every If-Range, as some caches do.
        case distrustsIfRange = "distrusts-if-range"
        case ignoresIfMatch = "ignores-if-match"
        /// Sends the whole file in chunks, so that the client does not know its length.
        case chunked
    }

    /// The head and the bytes for a request.
    func answer(
        to request: ScriptedRequest,
        with version: ScenarioVersion
    ) -> (head: String, body: Range<Int>) {
        let whole = 0..<version.content.count
        if let wanted = request["if-match"], !flaws.contains(.ignoresIfMatch), wanted != version.tag {
            return (head("412 Precondition Failed", version, length: 0), 0..<0)
        }
        guard let asked = askedRange(of: request, version) else {
            return (head("200 OK", version, length: flaws.contains(.chunked) ? nil : whole.count), whole)
        }
        guard let range = asked.clamped(to: whole), asked.lowerBound < whole.upperBound else {
            let fields = "Content-Range: bytes */\(whole.count)\r\n"
            return (head("416 Range Not Satisfiable", version, fields, length: 0), 0..<0)
        }
        let fields =
            "Content-Range: bytes \(range.lowerBound)-\(range.upperBound - 1)/\(whole.count)\r\n"
        return (head("206 Partial Content", version, fields, length: range.count), range)
    }

    /// The range to send, which may be beyond the end; `nil` for the whole file.
    private func askedRange(of request: ScriptedRequest, _ version: ScenarioVersion) -> Range<Int>? {
        guard let field = request["range"], let start = request.rangeStart,
            !flaws.contains(.ignoresRange)
        else { return nil }
        if let condition = request["if-range"], !flaws.contains(.ignoresIfRange) {
            let isTrue =
                condition == version.tag && !condition.hasPrefix("W/") || condition == version.modified
            guard isTrue, !flaws.contains(.distrustsIfRange) else { return nil }
        }
        let last = field.split(separator: "-", omittingEmptySubsequences: false).last.flatMap { Int($0) }
        return start..<max(start, (last ?? version.content.count - 1) + 1)
    }

    private func head(
        _ status: String,
        _ version: ScenarioVersion,
        _ more: String = "",
        length: Int?
    ) -> String {
        var head = "HTTP/1.1 \(status)\r\nAccept-Ranges: bytes\r\n" + more
        if let tag = version.tag { head += "ETag: \(tag)\r\n" }
        if let modified = version.modified { head += "Last-Modified: \(modified)\r\n" }
        if let type = version.type { head += "Content-Type: \(type)\r\n" }
        return head + (length.map { "Content-Length: \($0)\r\n" } ?? "Transfer-Encoding: chunked\r\n")
    }
}

extension Range<Int> {
    /// The part of this range inside `other`; `nil` if this range begins after `other`.
    fileprivate func clamped(to other: Range<Int>) -> Range<Int>? {
        lowerBound >= other.upperBound ? nil : lowerBound..<Swift.min(upperBound, other.upperBound)
    }
}

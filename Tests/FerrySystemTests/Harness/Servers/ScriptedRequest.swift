/// A request as a ``ScriptedServer`` received it.
struct ScriptedRequest: Sendable {
    var method: String
    /// The path and query.
    var path: String
    /// The header fields in order, with names in lower case.
    var fields: [(name: String, value: String)]
    /// The number of this request among those for its path, from 1.
    var ordinal = 0

    init?(head: String) {
        // In Swift, CRLF is a single character. It separates the lines.
        let lines = head.split(separator: "\r\n", omittingEmptySubsequences: true)
        guard let first = lines.first else { return nil }
        let words = first.split(separator: " ").map(String.init)
        guard words.count == 3 else { return nil }
        method = words[0]
        path = words[1]
        fields = lines.dropFirst().compactMap { line in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            return (line[..<colon].lowercased(), String(value))
        }
    }

    subscript(_ name: String) -> String? {
        fields.first { $0.name == name }?.value
    }

    /// The start of the requested range, for `bytes=N-` and `bytes=N-M`.
    var rangeStart: Int? {
        self["range"].flatMap { Int($0.drop { !$0.isNumber }.prefix { $0.isNumber }) }
    }
}

/// What a ``ScriptedServer`` answers.
struct ScriptedReply: Sendable {
    var status = 200
    var fields: [(name: String, value: String)] = []
    var body: [UInt8] = []
    var framing = Framing.length
    /// Where and how the reply ends early; `nil` for a complete reply.
    var cut: Cut?
    /// The gates at which the reply waits, in order.
    var gates: [(bytes: Int, gate: Gate)] = []

    enum Framing: Sendable {
        case length
        case chunked
        case untilClose
    }

    struct Cut: Sendable {
        var bytes: Int
        var then: Ending

        enum Ending: Sendable {
            case hangUp
            case stall
        }
    }

    /// A reply with the whole content, or with the requested range, and with an entity tag.
    static func serving(_ content: Content, tag: String, to request: ScriptedRequest) -> ScriptedReply {
        let body = Array(content.bytes)
        let fields = [("ETag", tag), ("Accept-Ranges", "bytes")]
        let isSame = request["if-range"].map { $0 == tag } ?? true
        guard let start = request.rangeStart, isSame, start < body.count else {
            return ScriptedReply(fields: fields, body: body)
        }
        let end = request["range"]?.split(separator: "-").last.flatMap { Int($0) } ?? body.count - 1
        let range = "bytes \(start)-\(min(end, body.count - 1))/\(body.count)"
        return ScriptedReply(
            status: 206,
            fields: fields + [("Content-Range", range)],
            body: Array(body[start...min(end, body.count - 1)])
        )
    }
}

internal import HTTPTypes

/// What becomes of a connection after an answer (RFC 9112 §9.3).
package enum Persistence: Hashable, Sendable {
    /// No request may follow.
    case closes
    /// Another request may follow. A server may say how long it keeps the connection without one.
    case persists(upTo: Duration?)
    /// The connection is a tunnel now (RFC 9110 §9.3.6); the bytes behind the answer belong to it.
    case tunnels

    /// Reads what an answer says about its connection.
    init(
        _ line: StatusLine,
        _ fields: HTTPFields,
        _ framing: BodyFraming,
        answering method: HTTPRequest.Method
    ) {
        if method == .connect, (200..<300).contains(line.status) {
            self = .tunnels
            return
        }
        let options = Self.members(of: fields[values: .connection])
        func says(_ option: String) -> Bool { options.contains { $0.equalsIgnoringASCIICase(option.utf8) } }
        let isWilling =
            switch line.version {
            case .current: true
            // RFC 9112 §6.1: chunks in HTTP/1.0 may come from a party that does not know them.
            case .old: says("keep-alive") && framing != .chunked
            case .odd: false
            }
        let persists = isWilling && !says("close") && framing != .untilClose
        self = persists ? .persists(upTo: Self.timeout(fields)) : .closes
    }

    /// `timeout` of `Keep-Alive`, in seconds (RFC 2068 §19.7.1.1). At most a day, beyond which it says nothing.
    private static func timeout(_ fields: HTTPFields) -> Duration? {
        guard let name = HTTPField.Name("Keep-Alive") else { return nil }
        for member in members(of: fields[values: name]) {
            let parts = member.split(separator: 0x3D, maxSplits: 1)
            guard parts.count == 2, parts[0].trimmingBlanks.equalsIgnoringASCIICase("timeout".utf8),
                let seconds = DecimalNumber(parts[1].trimmingBlanks)?.fitting, seconds <= 86_400
            else { continue }
            return .seconds(seconds)
        }
        return nil
    }

    private static func members(of values: [String]) -> [Substring.UTF8View] {
        values.flatMap { $0.utf8.split(separator: 0x2C).map(\.trimmingBlanks) }
    }
}

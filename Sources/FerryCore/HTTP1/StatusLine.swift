/// The first line of an answer (RFC 9112 §4).
struct StatusLine: Hashable, Sendable {
    /// The versions, as far as they make a difference.
    enum Version: Hashable, Sendable {
        /// HTTP/1.0.
        case old
        /// HTTP/1.1, or a later minor version.
        case current
        /// Another version, over the form of HTTP/1. Its connection is not used again.
        case odd
    }

    /// The version.
    var version: Version
    /// The status code.
    var status: Int

    /// Bytes that tell HTTP from other protocols.
    static let markLength = mark.count
    private static let mark = Array("HTTP/".utf8)

    /// What other protocol a line belongs to, if its first ``markLength`` bytes say so.
    ///
    /// A line with fewer bytes has to be whole.
    static func otherProtocol(_ line: [UInt8]) -> WireFault? {
        let start = line.prefix(markLength)
        if start.equalsIgnoringASCIICase(mark) { return nil }
        // A record of an alert or of a handshake, under any version so far.
        if start.count > 1, start[0] == 0x15 || start[0] == 0x16, start[1] == 0x03 { return .tlsRecord }
        if start.starts(with: "220 ".utf8) || start.starts(with: "220-".utf8) { return .greeting }
        return .noStatusLine
    }

    /// Whether more bytes could make the beginning of a line one of HTTP.
    static func mayBecomeHTTP(_ line: [UInt8]) -> Bool {
        let start = line.prefix(markLength)
        return start.equalsIgnoringASCIICase(mark.prefix(start.count))
    }

    /// Reads a line without its end, that ``otherProtocol(_:)`` takes for HTTP. Words may have several blanks between
    /// them (RFC 9112 §4), and the reason may be missing.
    init(_ line: [UInt8]) throws(WireFault) {
        let words = line.dropFirst(Self.markLength).split(maxSplits: 2, whereSeparator: \.isBlank)
        guard let word = words.first, let version = Self.version(word) else { throw .unsupportedVersion }
        guard words.count > 1, words[1].count == 3, let status = DecimalNumber(words[1])?.fitting,
            status >= 100
        else { throw .invalidStatus }
        self.version = version
        self.status = Int(status)
    }

    /// Reads `1.1`; `nil` for anything but a digit from 1 on, with or without a second one.
    private static func version(_ word: ArraySlice<UInt8>) -> Version? {
        let parts = word.split(separator: 0x2E, omittingEmptySubsequences: false)
        guard parts.count <= 2, parts.allSatisfy({ $0.count == 1 && $0.allSatisfy(\.isDigit) }),
            let major = word.first, major != 0x30
        else { return nil }
        guard major == 0x31, parts.count == 2 else { return .odd }
        return parts[1].first == 0x30 ? .old : .current
    }
}

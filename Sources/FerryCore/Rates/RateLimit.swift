/// A maximum number of bytes a second.
public struct RateLimit: Hashable, Sendable {
    /// The smallest limit. Below it, a server would consider its client gone.
    public static let smallest: Int64 = 1024

    /// No limit.
    public static let off = RateLimit()

    /// Bytes a second; `nil` for no limit.
    public let bytesPerSecond: Int64?

    private init() {
        bytesPerSecond = nil
    }

    /// Creates a limit.
    ///
    /// - Throws: ``ParseError/tooSmall`` below ``smallest``.
    public init(bytesPerSecond: Int64) throws(ParseError) {
        guard bytesPerSecond >= Self.smallest else { throw .tooSmall }
        self.bytesPerSecond = bytesPerSecond
    }

    /// Parses bytes a second as people write them: `500K`, `1.5MiB/s`, `10 MB/s`; `off` and `0` mean no limit.
    ///
    /// The number is parsed as by ``ByteCount``: units are powers of 1024, as in curl, wget and aria2.
    ///
    /// - Throws: ``ParseError`` when the text has another form, or the number is too small or too large.
    public init(parsing text: String) throws(ParseError) {
        let word = Array(text.utf8).trimmingBlanks.lowercasedASCIIText
        if word == "off" {
            self = .off
            return
        }
        let amount: ByteCount
        do {
            amount = try ByteCount(parsing: word.hasSuffix("/s") ? String(word.dropLast(2)) : word)
        } catch {
            throw error == .tooLarge ? .tooLarge : .malformed
        }
        if amount.bytes == 0 {
            self = .off
        } else {
            try self.init(bytesPerSecond: amount.bytes)
        }
    }

    /// Why a text is not a limit.
    public enum ParseError: Error, Hashable, Sendable {
        /// It is not a number of bytes.
        case malformed
        /// It is less than ``RateLimit/smallest``.
        case tooSmall
        /// It is more than an `Int64` holds.
        case tooLarge
    }
}

extension RateLimit: CustomStringConvertible {
    /// The limit with a binary unit, such as `1.5 MiB/s`, or `off`.
    public var description: String {
        bytesPerSecond.map { "\(ByteCount($0).formatted)/s" } ?? "off"
    }
}

extension RateLimit: Codable {
    /// Reads the bytes a second, or null for no limit.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .off
            return
        }
        let number = try container.decode(Int64.self)
        do throws(ParseError) {
            try self.init(bytesPerSecond: number)
        } catch {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "\(error)")
        }
    }

    /// Writes the bytes a second, or null for no limit.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if let bytesPerSecond { try container.encode(bytesPerSecond) } else { try container.encodeNil() }
    }
}

extension RateLimit.ParseError: CustomStringConvertible {
    /// The reason in one sentence for a person.
    public var description: String {
        switch self {
        case .malformed: "A rate must be bytes per second, such as 500K, 10M or 1.5MiB/s, or off."
        case .tooSmall: "A rate must be at least \(ByteCount(RateLimit.smallest).formatted)/s, or off."
        case .tooLarge: "The rate is larger than Ferry can count."
        }
    }
}

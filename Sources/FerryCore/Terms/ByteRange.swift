/// A part of a resource that is asked for on purpose (RFC 9110 §14.1.2).
public enum ByteRange: Hashable, Sendable {
    /// From this offset on, through another one; with `nil` to the end.
    case from(Int64, through: Int64?)
    /// This number of bytes at the end; all of a shorter resource.
    case last(Int64)

    /// Reads a range as HTTP and curl write it: `0-1048575`, `100-` or `-65536`.
    ///
    /// - Returns: `nil` for any other text, a range that ends before it begins, and several ranges.
    public init?(_ text: String) {
        let ends = text.utf8.split(separator: 0x2D, omittingEmptySubsequences: false)
        guard ends.count == 2 else { return nil }
        func number(_ digits: Substring.UTF8View) -> Int64? {
            DecimalNumber(Array(digits)[...])?.fitting.flatMap { $0 <= Self.longestResource ? $0 : nil }
        }
        switch (ends[0].isEmpty, ends[1].isEmpty) {
        case (true, true): return nil
        case (true, false):
            guard let count = number(ends[1]), count > 0 else { return nil }
            self = .last(count)
        case (false, true):
            guard let first = number(ends[0]) else { return nil }
            self = .from(first, through: nil)
        case (false, false):
            guard let first = number(ends[0]), let last = number(ends[1]), first <= last else { return nil }
            self = .from(first, through: last)
        }
    }

    /// The longest resource that is accepted, in bytes: one exbibyte. No file system holds more, and lengths near the
    /// end of the range would overflow in sums.
    package static let longestResource: Int64 = 1 << 60

    /// The offset after the last byte, if that is given.
    var end: Int64? {
        if case .from(_, through: let last?) = self { last + 1 } else { nil }
    }

    /// The first byte in a resource of this length; `nil` if that is needed and not known.
    func start(in total: Int64?) -> Int64? {
        switch self {
        case .from(let first, _): first
        case .last(let count): total.map { max(0, $0 - count) }
        }
    }

    /// The length of the part in a resource of this length, from `start` on; `nil` if that is needed and not known.
    func length(from start: Int64, in total: Int64?) -> Int64? {
        let ends = [end, total].compactMap(\.self)
        return ends.min().map { $0 - start }
    }

    /// Whether a resource of this length is no longer than the part.
    func isWhole(of total: Int64) -> Bool { start(in: total) == 0 && (end ?? total) >= total }
}

extension ByteRange: CustomStringConvertible {
    /// The range as ``init(_:)`` reads it.
    public var description: String {
        switch self {
        case .from(let first, let last): "\(first)-\(last.map { String($0) } ?? "")"
        case .last(let count): "-\(count)"
        }
    }
}

extension ByteRange: Codable {
    /// Reads a range. Throws when the text is not a range.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let range = ByteRange(text) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "no range of bytes")
        }
        self = range
    }

    /// Writes the text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

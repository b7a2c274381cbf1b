/// The parts of a file: which of them the server has, which are on the way, and which comes next.
package struct UploadParts: Sendable {
    /// The length of a part in bytes, but the last.
    package let size: Int64
    private let length: Int64
    private let rules: UploadPartRules
    private let most: Int
    /// Where the server is, if parts follow each other.
    package private(set) var offset: Int64 = 0
    /// The parts that the server has, by number, if they are independent.
    private var confirmed: [Int: SentPart] = [:]
    /// The sum of their lengths.
    private var confirmedLength: Int64 = 0
    /// The numbers of the parts that are on the way.
    private var underway: Set<Int> = []
    /// Before this number, each part is confirmed, on the way, or in `again`.
    private var next = 1
    /// Parts that came back.
    private var again: [Int] = []

    /// The length of a part when no other is wished: where each part is one object of the server, and where the end of a
    /// part is only a moment at which the server confirms what it has.
    private static let usualSizes: (independent: Int64, sequential: Int64) = (16 << 20, 64 << 20)

    /// Divides a file.
    ///
    /// - Parameters:
    ///   - most: the maximum number of parts that are sent side by side.
    ///   - given: the length of the parts that the server may have already.
    /// - Throws: ``TransferFailure`` for a file that is too long.
    package init(
        _ length: Int64,
        by rules: UploadPartRules,
        offer: UploadOffer?,
        wished: Int64?,
        given: Int64?,
        most: Int,
        host: String
    ) throws(TransferFailure) {
        if let longest = offer?.longest, length > longest {
            throw TransferFailure(.refused, UploadOffer.refusal(of: length, longest: longest, host: host))
        }
        self.length = length
        self.rules = rules
        self.most = rules.areIndependent ? most : 1
        let usual = rules.areIndependent ? Self.usualSizes.independent : Self.usualSizes.sequential
        var size = max(wished ?? usual, rules.shortest, offer?.shortestAppend ?? 0, 1)
        let longest = min(rules.longest ?? .max, offer?.longestAppend ?? .max)
        size = min(size, longest)
        if let count = rules.most {
            // Whole mebibytes, so that the number is readable.
            let needed = (length - 1) / Int64(count) + 1
            if needed > size { size = min(Self.rounded(needed, to: 1 << 20), longest) }
            guard needed <= size else {
                throw TransferFailure(
                    .refused,
                    "The file has \(ByteCount(length).formatted), more than \(host) can take."
                )
            }
        }
        // The end of a part is a multiple of the unit, below the longest part.
        let multiple = Self.rounded(size, to: rules.unit)
        self.size =
            given ?? (multiple <= longest ? multiple : max(rules.unit, size / rules.unit * rules.unit))
    }

    private static func rounded(_ number: Int64, to unit: Int64) -> Int64 {
        let (sum, overflows) = number.addingReportingOverflow(unit - 1)
        return overflows ? number : sum / unit * unit
    }

    /// The number of parts, where they are independent. An empty file is one empty part.
    private var count: Int { length == 0 ? 1 : Int((length - 1) / size + 1) }

    /// The number of bytes that the server has.
    package var confirmedBytes: Int64 { rules.areIndependent ? confirmedLength : offset }

    /// Whether the server has all bytes.
    package var areComplete: Bool {
        rules.areIndependent ? confirmed.count == count : offset == length
    }

    /// The parts that the server has, by number.
    package var sent: [SentPart] { confirmed.values.sorted { $0.number < $1.number } }

    /// Notes where the server is; what is on the way begins nowhere else.
    package mutating func reach(_ offset: Int64) {
        self.offset = min(max(0, offset), length)
    }

    /// Notes a part that the server has. One that is not a part of this division is left out, and is sent again.
    ///
    /// - Returns: whether it is such a part.
    @discardableResult
    package mutating func confirm(_ part: SentPart) -> Bool {
        guard rules.areIndependent, (1...count).contains(part.number),
            Int64(part.length) == range(of: part.number).length
        else { return false }
        underway.remove(part.number)
        if confirmed.updateValue(part, forKey: part.number) == nil { confirmedLength += part.length }
        return true
    }

    /// Takes the next part to send; `nil` when all are sent, or enough are on the way.
    package mutating func take() -> UploadPart? {
        guard underway.count < most else { return nil }
        guard rules.areIndependent else {
            guard offset < length || length == 0 else { return nil }
            let rest = length - offset
            // The end is at a multiple of the unit from the start of the part.
            let end = rest <= size ? length : offset + size
            underway = [next]
            defer { next += 1 }
            return UploadPart(number: next, range: offset..<end, isLast: end == length)
        }
        let number: Int
        if let first = again.first {
            again.removeFirst()
            number = first
        } else {
            while next <= count, confirmed[next] != nil { next += 1 }
            guard next <= count else { return nil }
            number = next
            next += 1
        }
        underway.insert(number)
        return UploadPart(number: number, range: range(of: number), isLast: number == count)
    }

    /// Notes that a part is not on the way any more.
    package mutating func putBack(_ part: UploadPart) {
        guard underway.remove(part.number) != nil, rules.areIndependent, confirmed[part.number] == nil else {
            return
        }
        again.append(part.number)
    }

    private func range(of number: Int) -> Range<Int64> {
        let start = Int64(number - 1) * size
        return start..<min(start + size, length)
    }
}

extension Range<Int64> {
    /// The number of bytes.
    fileprivate var length: Int64 { upperBound - lowerBound }
}

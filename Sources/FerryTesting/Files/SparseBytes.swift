/// The contents of a file in memory: only pages that were written take room, so that a test may write far out.
struct SparseBytes: Sendable {
    /// The unit in which a simulated power cut keeps or loses what was written.
    static let pageSize: Int64 = 4096

    /// The length of the file in bytes.
    private(set) var length: Int64 = 0
    private var pages: [Int64: [UInt8]] = [:]

    init() {}

    /// Creates contents from bytes.
    init(_ bytes: [UInt8]) {
        write(bytes, at: 0)
    }

    /// The numbers of the pages that were written.
    var pageNumbers: Set<Int64> { Set(pages.keys) }

    /// How many bytes of the disk it takes.
    var allocated: Int64 { Int64(pages.count) * Self.pageSize }

    /// How many more bytes of the disk it would take if that were written.
    func growth(writing count: Int, at offset: Int64) -> Int64 {
        guard count > 0 else { return 0 }
        let range = (offset / Self.pageSize)...((offset + Int64(count) - 1) / Self.pageSize)
        return range.reduce(0) { pages[$1] == nil ? $0 + Self.pageSize : $0 }
    }

    /// Writes bytes at an offset; a gap before them reads as zeros.
    mutating func write(_ bytes: some Collection<UInt8>, at offset: Int64) {
        var rest = bytes[...]
        var position = offset
        while !rest.isEmpty {
            let number = position / Self.pageSize
            let start = Int(position % Self.pageSize)
            let piece = rest.prefix(Int(Self.pageSize) - start)
            pages[number, default: Self.emptyPage].replaceSubrange(start..<(start + piece.count), with: piece)
            rest = rest.dropFirst(piece.count)
            position += Int64(piece.count)
        }
        length = max(length, position)
    }

    /// Cuts the contents, or extends them with zeros.
    mutating func truncate(to newLength: Int64) {
        if newLength < length {
            let last = newLength / Self.pageSize
            let kept = Int(newLength % Self.pageSize)
            pages = pages.filter { $0.key < last || ($0.key == last && kept > 0) }
            if kept > 0, pages[last] != nil {
                let zeros = [UInt8](repeating: 0, count: Int(Self.pageSize) - kept)
                pages[last]?.replaceSubrange(kept..., with: zeros)
            }
        }
        length = newLength
    }

    /// The bytes of a range, as far as the file goes.
    func read(_ range: Range<Int64>) -> [UInt8] {
        let end = min(range.upperBound, length)
        guard range.lowerBound < end else { return [] }
        var result: [UInt8] = []
        result.reserveCapacity(Int(end - range.lowerBound))
        var position = range.lowerBound
        while position < end {
            let start = Int(position % Self.pageSize)
            let count = min(Int(Self.pageSize) - start, Int(end - position))
            let page = pages[position / Self.pageSize] ?? Self.emptyPage
            result += page[start..<(start + count)]
            position += Int64(count)
        }
        return result
    }

    /// What is left after the power went: of each page either what is in `self`, which is durable, or what was
    /// written to `newer` since, and a length between the two. The file system may have written any of it back
    /// on its own, in any order.
    func mixed(with newer: SparseBytes, using random: inout SeededRandom) -> SparseBytes {
        var result = SparseBytes()
        for number in pageNumbers.union(newer.pageNumbers).sorted() {
            result.pages[number] = Bool.random(using: &random) ? newer.pages[number] : pages[number]
        }
        let mixedLength: Int64 =
            switch Int.random(in: 0..<3, using: &random) {
            case 0: length
            case 1: newer.length
            default: .random(in: min(length, newer.length)...max(length, newer.length), using: &random)
            }
        // Cut first: what a page holds behind the length must read as zeros if the file grows again.
        result.length = max(length, newer.length)
        result.truncate(to: mixedLength)
        return result
    }

    private static let emptyPage = [UInt8](repeating: 0, count: Int(pageSize))
}

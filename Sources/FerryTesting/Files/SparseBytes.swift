/// The content of a file in memory. Only written pages take space, so a test may write at large offsets.
struct SparseBytes: Sendable {
    /// The unit in which a simulated power loss keeps or loses writes.
    static let pageSize: Int64 = 4096

    /// The length of the file in bytes.
    private(set) var length: Int64 = 0
    private var pages: [Int64: [UInt8]] = [:]

    init() {}

    /// Creates contents from bytes.
    init(_ bytes: [UInt8]) {
        write(bytes, at: 0)
    }

    /// The numbers of the written pages.
    var pageNumbers: Set<Int64> { Set(pages.keys) }

    /// The bytes of disk space that it uses.
    var allocated: Int64 { Int64(pages.count) * Self.pageSize }

    /// The additional disk space in bytes that such a write would use.
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

    /// Truncates the content, or extends it with zeros.
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

    /// The bytes of a range, up to the end of the file.
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

    /// The content after a power loss. Each page is either the durable one from `self` or the one written to
    /// `newer` since, and the length is between the two. The file system may have written back any of it, in
    /// any order.
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
        // Truncate first: bytes of a page after the length must read as zeros if the file grows again.
        result.length = max(length, newer.length)
        result.truncate(to: mixedLength)
        return result
    }

    private static let emptyPage = [UInt8](repeating: 0, count: Int(pageSize))
}

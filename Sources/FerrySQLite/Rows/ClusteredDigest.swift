import Crypto

/// A digest that places texts that differ only in a counter next to each other in an index.
///
/// Files of one list usually have names such as `page-0041.jpg` and `page-0042.jpg`. With a plain digest,
/// each would have its own leaf of the index, so adding or completing a hundred of them would write a hundred
/// pages. Here ``blockSize`` consecutive numbers share the first bytes and are on a few pages. Everything is hashed, so
/// nothing of the text can be read from it.
struct ClusteredDigest: Hashable {
    /// The number of consecutive counters that share a block.
    static let blockSize = 256

    /// The digest of all texts of the block.
    private let block: [UInt8]
    /// The digest of the text.
    private let text: [UInt8]

    /// A block and its digest.
    struct Block {
        fileprivate var text: [UInt8]
        fileprivate var digest: [UInt8]
    }

    /// Digests a text.
    init(_ text: String) {
        var block: Block?
        self.init(text, latest: &block)
    }

    /// Digests a text.
    ///
    /// - Parameter latest: the block of the previous text, which usually is the block of this one too.
    init(_ text: String, latest: inout Block?) {
        let bytes = Array(text.utf8)
        let whole = SHA256.hash(data: bytes)
        self.text = Array(whole)
        guard let counter = Self.counter(in: bytes) else {
            block = self.text
            return
        }
        let number = bytes[counter].reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        // One array with room for all of it: each added transfer makes one.
        var blockText: [UInt8] = []
        blockText.reserveCapacity(bytes.count + 1)
        blockText += bytes[..<counter.lowerBound]
        blockText += "\(number / Self.blockSize)".utf8
        blockText.append(0)
        blockText += bytes[counter.upperBound...]
        if let latest, latest.text == blockText {
            block = latest.digest
        } else {
            block = Array(SHA256.hash(data: blockText))
            latest = Block(text: blockText, digest: block)
        }
    }

    /// 25 bytes: 5 of the block's digest and 20 of the text's own.
    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(25)
        bytes += block.prefix(5)
        bytes += text.prefix(20)
        return bytes
    }

    /// 8 bytes as a number. Two texts may share it.
    var number: Int64 {
        let front = block.prefix(5).reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        return Int64(bitPattern: text.prefix(3).reduce(front) { $0 << 8 | UInt64($1) })
    }

    /// The longest run of up to eight digits in the last path segment of the text, such as a URL; of equally
    /// long runs, the last. An extension such as `.mp4` does not count.
    private static func counter(in bytes: [UInt8]) -> Range<Int>? {
        let path = bytes.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "\n") }
        let segment = path.lastIndex(of: UInt8(ascii: "/")).map { path.index(after: $0) } ?? path.startIndex
        let end = path[segment...].lastIndex(of: UInt8(ascii: ".")) ?? path.endIndex
        var (longest, start): (Range<Int>?, Int?) = (nil, nil)
        for index in segment...end {
            if index < end, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[index]) {
                start = start ?? index
            } else if let begin = start {
                start = nil
                if index - begin <= 8, index - begin >= longest?.count ?? 1 { longest = begin..<index }
            }
        }
        return longest
    }
}

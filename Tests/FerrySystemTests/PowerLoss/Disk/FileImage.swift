/// The bytes of a file in blocks, so that many images of one file share what they have in common.
struct FileImage: Hashable, Sendable {
    /// What a disk writes as a whole, or not at all.
    static let blockSize = 4096

    var length = 0
    /// The blocks that were written; any other is zeros.
    var blocks: [Int: [UInt8]] = [:]

    /// All bytes.
    var bytes: [UInt8] {
        var bytes = [UInt8](repeating: 0, count: length)
        for (index, block) in blocks {
            let begin = index * Self.blockSize
            guard begin < length else { continue }
            let end = min(begin + Self.blockSize, length)
            bytes.replaceSubrange(begin..<end, with: block[..<(end - begin)])
        }
        return bytes
    }

    /// The blocks that a write touches, as they are after it.
    func blocks(writing bytes: [UInt8], at offset: Int) -> [Int: [UInt8]] {
        var changed: [Int: [UInt8]] = [:]
        var done = 0
        while done < bytes.count {
            let index = (offset + done) / Self.blockSize
            let begin = (offset + done) % Self.blockSize
            let count = min(Self.blockSize - begin, bytes.count - done)
            var block = blocks[index] ?? [UInt8](repeating: 0, count: Self.blockSize)
            block.replaceSubrange(begin..<(begin + count), with: bytes[done..<(done + count)])
            changed[index] = block
            done += count
        }
        return changed
    }

    /// The blocks that are other ones once the file is cut to `length`; `nil` for one that is gone.
    func blocks(cuttingTo length: Int) -> [Int: [UInt8]?] {
        var changed: [Int: [UInt8]?] = [:]
        for (index, block) in blocks {
            let begin = index * Self.blockSize
            if begin >= length {
                changed[index] = .some(nil)
            } else if begin + Self.blockSize > length {
                let kept = block[..<(length - begin)]
                changed[index] = kept + [UInt8](repeating: 0, count: Self.blockSize - kept.count)
            }
        }
        return changed
    }
}

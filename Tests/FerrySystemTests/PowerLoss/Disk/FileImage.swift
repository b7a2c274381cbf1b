/// The bytes of a file in blocks. Images of one file share their equal blocks.
struct FileImage: Hashable, Sendable {
    /// The size that a disk writes atomically.
    static let blockSize = 4096

    var length = 0
    /// The written blocks. All other blocks are zeros.
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

    /// The blocks that a write changes, with their new bytes.
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

    /// The blocks that change when the file is cut to `length`; `nil` for a block that is cut off.
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

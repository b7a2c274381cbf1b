import Foundation

/// The bytes of a file on a server. No two blocks are equal, so a test notices bytes in a wrong place.
struct Content: Sendable {
    let bytes: Data

    init(count: Int, seed: UInt64 = 1) {
        var random = SeededRandom(seed: seed)
        var words = [UInt64](unsafeUninitializedCapacity: count / 8 + 1) { buffer, initialized in
            for index in 0...(count / 8) { buffer.initializeElement(at: index, to: random.next()) }
            initialized = count / 8 + 1
        }
        bytes = words.withUnsafeMutableBytes { Data($0.prefix(count)) }
    }

    init(bytes: Data) {
        self.bytes = bytes
    }

    init(_ text: String) {
        bytes = Data(text.utf8)
    }

    var count: Int { bytes.count }

    /// Whether the file at `path` has exactly these bytes.
    func isWhole(at path: String) -> Bool {
        FileManager.default.contents(atPath: path) == bytes
    }

    /// Whether `others` has a kibibyte of these drawn bytes in a row, at any place.
    func appears(in others: some ContiguousBytes) -> Bool {
        // Whichever kibibyte it is, one of these words is in it.
        var words: Set<UInt64> = []
        for start in stride(from: 0, through: count - 8, by: 512) {
            words.insert(bytes[start..<(start + 8)].reversed().reduce(0) { $0 << 8 | UInt64($1) })
        }
        return others.withUnsafeBytes { others in
            var word: UInt64 = 0
            for (index, byte) in others.enumerated() {
                word = word >> 8 | UInt64(byte) << 56
                if index >= 7, words.contains(word) { return true }
            }
            return false
        }
    }
}

extension Int {
    static let kibibyte = 1 << 10
    static let mebibyte = 1 << 20
}

extension RequestSpecification {
    /// Whether another request has the message that this one had when it was added.
    ///
    /// - Parameter isOver: whether the stored bytes of the body were dropped, so that only the checksum is left of them.
    func isRepeated(by other: RequestSpecification, isOver: Bool) -> Bool {
        (addedChecksum ?? messageChecksum) == other.messageChecksum && (isOver || body == other.body)
    }

    /// A checksum of the message: method, URL, key and body. Credentials and other fields may differ when a call is
    /// repeated, such as a new token.
    ///
    /// It stays with the transfer when the body is dropped, to tell a repeated call from another one under the same UUID.
    /// Eight bits detect most mistakes, and are too few to find a short secret in the body by trying all: hundreds of a
    /// hundred thousand fit.
    var messageChecksum: UInt8 {
        var hash = FoldedHash()
        hash.add(methodName)
        hash.add(url.withoutSignature().absoluteString)
        hash.add(key?.field ?? "")
        hash.add(key?.value ?? "")
        hash.add(body.bytes)
        for file in body.files {
            hash.add(file.path)
            hash.add("\(file.length) \(file.modified ?? 0) \(file.identity.inode)")
        }
        return hash.value
    }
}

/// FNV-1a of 64 bits, folded to 8.
private struct FoldedHash {
    private var state: UInt64 = 0xCBF2_9CE4_8422_2325

    mutating func add(_ text: String) { add(text.utf8) }

    mutating func add(_ bytes: some Collection<UInt8>) {
        for byte in bytes { mix(byte) }
        // No byte of UTF-8 is 0xFF, so that the ends of texts count.
        mix(0xFF)
    }

    private mutating func mix(_ byte: UInt8) {
        state = (state ^ UInt64(byte)) &* 0x100_0000_01B3
    }

    var value: UInt8 {
        var folded = state
        for shift in [32, 16, 8] { folded ^= folded >> UInt64(shift) }
        return UInt8(truncatingIfNeeded: folded)
    }
}

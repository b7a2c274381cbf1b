extension RequestSpecification {
    /// Whether another request has the message that this one had when it was added.
    func isRepeated(by other: RequestSpecification) -> Bool {
        (addedChecksum ?? messageChecksum) == other.messageChecksum
    }

    /// A checksum of the message: method, URL, key and body. Credentials and other fields may differ when a call is
    /// repeated, such as a new token.
    ///
    /// It stays with the transfer when the body is dropped, to tell a repeated call from another one under the same UUID.
    /// Its 16 bits detect a mistake. They are too few to guess the body from.
    var messageChecksum: UInt16 {
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

/// FNV-1a of 64 bits, folded to 16.
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

    var value: UInt16 {
        let half = UInt32(truncatingIfNeeded: state ^ state >> 32)
        return UInt16(truncatingIfNeeded: half ^ half >> 16)
    }
}

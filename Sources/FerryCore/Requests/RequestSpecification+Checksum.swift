extension RequestSpecification {
    /// Whether another request has the message that this one had when it was added.
    ///
    /// - Parameter isOver: whether the stored bytes of the body were dropped, so that only the checksum is left of them.
    func isRepeated(by other: RequestSpecification, isOver: Bool) -> Bool {
        (addedChecksum ?? messageChecksum) == other.messageChecksum && methodName == other.methodName
            && (isOver || (body == other.body && key == other.key))
    }

    /// A checksum of the message: method, URL, key, body and values of earlier responses. Credentials and other fields may
    /// differ when a call is repeated, such as a new token.
    ///
    /// It stays with the transfer when the body is dropped, to tell a repeated call from another one under the same UUID.
    /// Eight bits detect most mistakes, and are too few to find a short secret in the body by trying all: hundreds of a
    /// hundred thousand fit.
    var messageChecksum: UInt8 {
        var hash = FNV1a()
        hash.add(part: methodName.utf8)
        hash.add(part: url.withoutSignature().absoluteString.utf8)
        hash.add(part: (key?.field ?? "").utf8)
        hash.add(part: (key?.value ?? "").utf8)
        hash.add(body)
        for (name, value) in values.sorted(by: { $0.key < $1.key }) {
            hash.add(part: "\(name)=\(value)".utf8)
        }
        var folded = hash.value
        for shift in [32, 16, 8] { folded ^= folded >> UInt64(shift) }
        return UInt8(truncatingIfNeeded: folded)
    }
}

extension FNV1a {
    /// Adds one of several parts.
    fileprivate mutating func add(part bytes: some Sequence<UInt8>) {
        add(bytes)
        // No byte of UTF-8 is 0xFF, so that the ends of texts count.
        add([0xFF])
    }

    fileprivate mutating func add(_ body: StoredBody) {
        add(part: body.bytes)
        for file in body.files {
            add(part: file.path.utf8)
            // Each caller that repeats the call may have made a copy of its own.
            let version = file.isCopy ? "" : "\(file.modified ?? 0) \(file.identity.inode)"
            add(part: "\(file.length) \(version)".utf8)
        }
    }
}

/// What the keys of some objects of a bucket begin with: `s3://bucket`, `s3://bucket/` or `s3://bucket/prefix`.
package struct ObjectPrefix: Hashable, Sendable {
    /// The store.
    package let store: ObjectStore
    /// The bucket.
    package let bucket: String
    /// What the keys begin with, as it was typed; empty for the whole bucket.
    package let text: String

    /// Parses a prefix. It follows the rules of ``ObjectName``, except that the key may be missing.
    package init(parsing text: String) throws(ObjectName.ParseError) {
        guard let slashes = text.utf8.firstRange(of: "://".utf8) else { throw .unknownScheme }
        guard let store = ObjectStore(rawValue: text[..<slashes.lowerBound].lowercased()) else {
            throw .unknownScheme
        }
        let rest = text.utf8[slashes.upperBound...]
        let bucket = rest.prefix { $0 != 0x2F }
        guard !bucket.isEmpty else { throw .missingBucket }
        guard Self.isBucket(bucket) else { throw .invalidBucket }
        let key = rest[bucket.endIndex...].dropFirst()
        guard key.count <= ObjectName.longestKey else { throw .keyTooLong }
        // No store takes it, and it would end the text in a database.
        guard !key.contains(0) else { throw .invalidKey }
        self.init(store, bucket: String(Substring(bucket)), String(Substring(key)))
    }

    /// Creates a prefix from its parts, which are valid.
    package init(_ store: ObjectStore, bucket: String, _ text: String) {
        (self.store, self.bucket, self.text) = (store, bucket, text)
    }

    /// The object with a key in the bucket; `nil` if no object can have it.
    package func object(_ key: String) -> ObjectName? {
        let isKey = (1...ObjectName.longestKey).contains(key.utf8.count) && !key.utf8.contains(0)
        return isKey ? ObjectName(store, bucket: bucket, key: key) : nil
    }

    /// A request about the bucket itself, as the URL that is signed when it is sent.
    ///
    /// - Parameter query: the parameters, percent-encoded.
    package func bucketURL(_ query: String) throws(HTTPURL.ParseError) -> HTTPURL {
        try HTTPURL(ObjectName(store, bucket: bucket, key: "")).appending(query: query)
    }

    /// Whether a text may be a bucket of any store. Each has narrower rules, and old buckets that break them.
    private static func isBucket(_ bucket: Substring.UTF8View) -> Bool {
        bucket.count <= 255 && bucket.first.map(isLetterOrDigit) == true
            && bucket.allSatisfy { isLetterOrDigit($0) || "-._".utf8.contains($0) }
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }
}

extension ObjectPrefix: CustomStringConvertible {
    /// The prefix as it is parsed.
    package var description: String { "\(store.rawValue)://\(bucket)/\(text)" }
}

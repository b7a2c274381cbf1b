/// The name of an object: `s3://bucket/key`, `oss://bucket/key` or `gs://bucket/key`.
///
/// Everything after the bucket's slash is the key, as it is: a name is no URL, and nothing in it is decoded. So `%20`,
/// `+`, `?`, `#`, `//` and `..` are part of the key, and a key may begin with `/`.
public struct ObjectName: Sendable {
    /// The store.
    public let store: ObjectStore
    /// The bucket.
    public let bucket: String
    /// The key of the object; never empty.
    public let key: String

    /// The longest key in bytes of UTF-8, in every store.
    static let longestKey = 1024

    /// Parses a name.
    ///
    /// - Throws: ``ParseError``, which quotes nothing of the name.
    public init(parsing text: String) throws(ParseError) {
        guard let slashes = text.utf8.firstRange(of: "://".utf8) else { throw .unknownScheme }
        guard let store = ObjectStore(rawValue: text[..<slashes.lowerBound].lowercased()) else {
            throw .unknownScheme
        }
        let rest = text.utf8[slashes.upperBound...]
        let bucket = rest.prefix { $0 != 0x2F }
        guard !bucket.isEmpty else { throw .missingBucket }
        guard Self.isBucket(bucket) else { throw .invalidBucket }
        let key = rest[bucket.endIndex...].dropFirst()
        guard !key.isEmpty else { throw .missingKey }
        guard key.count <= Self.longestKey else { throw .keyTooLong }
        self.store = store
        self.bucket = String(Substring(bucket))
        self.key = String(Substring(key))
    }

    /// Creates a name from its parts, which are valid.
    init(_ store: ObjectStore, bucket: String, key: String) {
        (self.store, self.bucket, self.key) = (store, bucket, key)
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

extension ObjectName: Hashable {
    /// Whether both name the same object. Keys are bytes to a store: two forms of `é` are two objects.
    public static func == (one: ObjectName, other: ObjectName) -> Bool {
        one.store == other.store && one.bucket == other.bucket && one.key.utf8.elementsEqual(other.key.utf8)
    }

    /// Hashes the bytes of the name.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(store)
        hasher.combine(bucket)
        hasher.combine(Array(key.utf8))
    }
}

extension ObjectName: CustomStringConvertible {
    /// The name as it is parsed.
    public var description: String { "\(store.rawValue)://\(bucket)/\(key)" }
}

extension ObjectName {
    /// Why a text is not the name of an object.
    public enum ParseError: Error, Hashable, Sendable {
        /// It does not begin with the scheme of a store.
        case unknownScheme
        /// It has no bucket.
        case missingBucket
        /// The bucket has characters that no bucket has.
        case invalidBucket
        /// It names a bucket, and no object in it.
        case missingKey
        /// The key is longer than 1024 bytes.
        case keyTooLong
        /// The key is not UTF-8.
        case invalidKey
    }
}

extension ObjectName.ParseError: CustomStringConvertible {
    /// The reason in one sentence for a person.
    public var description: String {
        switch self {
        case .unknownScheme: "The name of an object must begin with s3://, oss:// or gs://."
        case .missingBucket: "The name has no bucket; it must look like s3://bucket/key."
        case .invalidBucket:
            "The bucket may have only letters, digits, '-', '_' and '.', and begins with a letter or a digit."
        case .missingKey: "The name has no key; it must look like s3://bucket/key."
        case .invalidKey: "The key is not UTF-8."
        case .keyTooLong: "The key is longer than \(ObjectName.longestKey) bytes."
        }
    }
}

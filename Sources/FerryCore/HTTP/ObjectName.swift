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
        let prefix = try ObjectPrefix(parsing: text)
        guard !prefix.text.isEmpty else { throw .missingKey }
        self.init(prefix.store, bucket: prefix.bucket, key: prefix.text)
    }

    /// Creates a name from its parts, which are valid.
    init(_ store: ObjectStore, bucket: String, key: String) {
        (self.store, self.bucket, self.key) = (store, bucket, key)
    }
}

extension ObjectName: Hashable {
    /// Whether both name the same object. Keys are bytes to a store: two forms of `é` are two objects.
    public static func == (one: ObjectName, other: ObjectName) -> Bool {
        one.store == other.store && one.bucket == other.bucket && one.key.hasSameOctets(as: other.key)
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
        /// The key is not UTF-8, or has a NUL.
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
        case .invalidKey: "The key is not UTF-8, or has a NUL."
        case .keyTooLong: "The key is longer than \(ObjectName.longestKey) bytes."
        }
    }
}

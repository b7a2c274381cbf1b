public import FerryCore

/// How requests to one bucket are made: with which credentials, and where.
public struct ObjectStoreAccess: Sendable {
    /// What signs.
    public var credentials: ObjectStoreCredentials
    /// When the credentials expire; `nil` if that is not known. Fresh ones are asked for before.
    public var expiration: Instant?
    /// Where the bucket is.
    public var addressing: ObjectStoreAddressing
    /// How requests are signed.
    public var version: SignatureVersion

    /// Creates an access.
    public init(
        _ credentials: ObjectStoreCredentials,
        expiration: Instant? = nil,
        addressing: ObjectStoreAddressing = ObjectStoreAddressing(),
        version: SignatureVersion = .v4
    ) {
        self.credentials = credentials
        self.expiration = expiration
        self.addressing = addressing
        self.version = version
    }

    /// Which access is needed.
    public struct Question: Hashable, Sendable {
        /// The store.
        public let store: ObjectStore
        /// The bucket.
        public let bucket: String
        /// What was given with the transfer.
        public let reference: ObjectStoreReference

        /// Creates a question.
        package init(store: ObjectStore, bucket: String, reference: ObjectStoreReference) {
            var reference = reference
            // All versions are reached in the same way.
            reference.objectVersion = nil
            self.store = store
            self.bucket = bucket
            self.reference = reference
        }
    }

    /// Why there is no access.
    public struct Failure: Error, Hashable, Sendable {
        /// What happened, in one sentence for a person. It is shown and logged, so it must contain no secret.
        public var message: String
        /// Whether it may work later.
        public var isTransient: Bool

        /// Creates a failure.
        public init(_ message: String, isTransient: Bool = false) {
            self.message = message
            self.isTransient = isTransient
        }
    }
}

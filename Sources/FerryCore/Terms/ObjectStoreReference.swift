/// How the object store of a transfer is reached, as far as it was given with the transfer. It has no secret: credentials
/// are found when a request is signed (``EngineConfiguration/objectStoreAccess``).
public struct ObjectStoreReference: Hashable, Sendable, Codable {
    /// The name of the credentials, such as a profile in the files of the store's own tools; `nil` for the usual ones.
    public var profile: String?
    /// The region of the bucket; `nil` if it was not given.
    public var region: String?
    /// The server, if it is not the store's own; `nil` if it was not given.
    public var endpoint: HTTPURL?
    /// Where a request names the bucket; `nil` if it was not given.
    public var style: ObjectStoreAddressing.Style?
    /// How requests are signed; `nil` if it was not given.
    public var version: SignatureVersion?

    /// The version of the object to download; `nil` for the latest. A mirror in another bucket is asked for the latest.
    public var objectVersion: String?

    /// Creates a reference that gives nothing.
    public init() {}
}

/// What the server says of the object that an upload made.
package struct UploadResult: Hashable, Sendable, Codable {
    /// The status of the answer.
    package var status: Int
    /// Its fields, as received.
    package var fields: [HeaderField]
    /// Its body, up to a bound.
    package var body: [UInt8]
    /// The entity tag of the object (RFC 9110 §8.8.3); `nil` if it does not say.
    package var entityTag: String?
    /// The version of the object; `nil` if it does not say.
    package var version: String?
    /// The checksums of the whole object that the server has computed.
    package var checksums: [Checksum]

    package init(
        status: Int,
        fields: [HeaderField] = [],
        body: [UInt8] = [],
        entityTag: String? = nil,
        version: String? = nil,
        checksums: [Checksum] = []
    ) {
        self.status = status
        self.fields = fields
        self.body = body
        self.entityTag = entityTag
        self.version = version
        self.checksums = checksums
    }
}

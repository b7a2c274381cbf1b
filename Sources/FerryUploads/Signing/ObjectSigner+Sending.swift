package import FerryCore
package import HTTPTypes

extension ObjectSigner {
    /// A request as it is sent.
    package struct Sent: Sendable {
        /// Where it goes.
        package let url: HTTPURL
        /// Its fields, the signature among them.
        package let fields: HTTPFields
    }

    /// Signs a request for an object.
    ///
    /// - Parameters:
    ///   - url: the object, and the parameters of the request in its query.
    ///   - parameters: more parameters of the query, not encoded.
    ///   - fields: the fields of the request. Credentials among them are left out.
    ///   - body: its whole body; `nil` for one that is streamed. It is signed if the connection is not encrypted.
    package func sent(
        _ method: HTTPRequest.Method,
        _ url: HTTPURL,
        _ parameters: [(name: String, value: String)] = [],
        _ fields: HTTPFields,
        _ body: [UInt8]? = nil,
        _ addressing: ObjectStoreAddressing,
        at now: Instant
    ) throws(SigningRefusal) -> Sent {
        guard let name = url.objectName else { return Sent(url: url, fields: fields) }
        let request = ObjectRequest(
            method: method.rawValue,
            address: try ObjectAddress(name.store, bucket: name.bucket, key: name.key, addressing),
            parameters: Self.parameters(of: url.query ?? "") + parameters.map { ($0.name, $0.value) },
            headers: fields.filter(Self.isSigned).map {
                HeaderField(name: $0.name.rawName, value: $0.value)
            }
        )
        var fields = fields
        fields[.authorization] = nil
        let payload = request.address.scheme == .http ? body.map(ObjectPayload.init(of:)) : nil
        for field in try self.fields(for: request, payload ?? .unsigned, at: now) {
            guard let name = HTTPField.Name(field.name) else { continue }
            fields[name] = field.value
        }
        return Sent(url: try target(of: request), fields: fields)
    }

    private static func parameters(of query: String) -> [ObjectRequest.Parameter] {
        query.split(separator: "&").map { text in
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            func decoded(_ part: Substring) -> String {
                String(decoding: PercentEncoding.decoded(part.utf8), as: UTF8.self)
            }
            return (decoded(parts[0]), parts.count == 2 ? decoded(parts[1]) : nil)
        }
    }

    /// Whether a signature covers a given field. Other fields may be changed on the way, as by a proxy. Some the signature
    /// sets itself.
    private static func isSigned(_ field: HTTPField) -> Bool {
        let name = field.name.canonicalName
        if ["content-md5", "content-type"].contains(name) { return true }
        return ["x-amz-", "x-oss-", "x-goog-"].contains { prefix in
            name.hasPrefix(prefix) && !ownFields.contains(String(name.dropFirst(prefix.count)))
        }
    }

    private static let ownFields: Set<String> = ["content-sha256", "date", "security-token"]
}

package import FerryCore

/// A request to a store before it is signed.
package struct ObjectRequest: Sendable {
    /// A parameter of the query, not encoded; the value is `nil` without a `=`.
    package typealias Parameter = (name: String, value: String?)

    /// The method.
    package var method: String
    /// Where the object is.
    package var address: ObjectAddress
    /// The parameters of the query, in the order in which they are sent.
    package var parameters: [Parameter]
    /// The header fields that the signature covers. The sender sends them too.
    package var headers: [HeaderField]

    package init(
        method: String,
        address: ObjectAddress,
        parameters: [Parameter] = [],
        headers: [HeaderField] = []
    ) {
        self.method = method
        self.address = address
        self.parameters = parameters
        self.headers = headers
    }

    /// The URL with these encoded parameters.
    func url(_ query: [String]) throws(SigningRefusal) -> HTTPURL {
        let mark = query.isEmpty ? "" : "?"
        let text = "\(address.scheme)://\(address.hostAndPort)\(address.sentPath)\(mark)"
        do {
            return try HTTPURL(parsing: text + query.joined(separator: "&"))
        } catch {
            throw .tooLong
        }
    }

    /// The value of a header field; `nil` if the field is missing.
    func header(_ name: String) -> String? { headers.first { $0.isNamed(name) }?.value }
}

/// What a signature says about the body of a request.
package enum ObjectPayload: Hashable, Sendable {
    /// Nothing, so that it can be streamed.
    case unsigned
    /// Its SHA-256 in hexadecimal digits.
    case sha256(hex: String)

    /// The digest of a body.
    init(of body: [UInt8]) { self = .sha256(hex: SigningKey.digest(body)) }

    /// The text in a canonical request.
    var text: String {
        switch self {
        case .unsigned: "UNSIGNED-PAYLOAD"
        case .sha256(let hex): hex
        }
    }
}

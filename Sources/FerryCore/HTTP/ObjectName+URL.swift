/// Names of objects in the form of a URL.
extension HTTPURL {
    /// Creates the URL of an object. Its path is the key, escaped, so that no segment of it is resolved.
    public init(_ name: ObjectName) {
        let key = PercentEncoding.escaped(name.key.utf8, keeping: [0x2F])
            .split(separator: "/", omittingEmptySubsequences: false)
            .map { $0 == "." ? "%2E" : $0 == ".." ? "%2E%2E" : $0 }
            .joined(separator: "/")
        self.init(
            scheme: Self.scheme(of: name.store),
            authority: Authority(host: name.bucket, port: nil),
            path: "/\(key)",
            query: nil,
            fragment: nil
        )
    }

    /// The object that this names; `nil` for a URL of HTTP.
    public var objectName: ObjectName? {
        guard let store = scheme.store else { return nil }
        return ObjectName(store, bucket: host, key: PercentEncoding.decoded(path.utf8.dropFirst()).text)
    }

    private static func scheme(of store: ObjectStore) -> Scheme {
        switch store {
        case .s3: .s3
        case .oss: .oss
        case .gs: .gs
        }
    }

}

extension ObjectName {
    /// The name for messages. Characters that have no shape, or change that of others, are escaped.
    var shown: String {
        description.unicodeScalars.map { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator:
                PercentEncoding.escaped(String(scalar).utf8)
            default: String(scalar)
            }
        }.joined()
    }
}

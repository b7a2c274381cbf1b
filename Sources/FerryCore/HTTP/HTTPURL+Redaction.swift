extension HTTPURL {
    /// The URL for messages and logs (I7): without userinfo and fragment, and with every parameter of the query and of the
    /// path masked that is not known to be harmless (``ShownParameter``), and so is what looks like a token in the path
    /// (``ShownPath``).
    public var redacted: String {
        let text = "\(scheme.rawValue)://\(hostAndPort)\(ShownPath.text(path))"
        return query.map { "\(text)?\(Self.masked($0))" } ?? text
    }

    /// The URL without its secrets: what ``redacted`` masks is masked in it as well. It is shown as this URL is, and cannot be
    /// asked for any more.
    var withoutSecrets: HTTPURL {
        do throws(ParseError) {
            return try HTTPURL(parsing: redacted)
        } catch {
            // What masks a secret can make it longer than a URL may be.
            let server = Authority(host: host, port: port)
            return HTTPURL(scheme: scheme, authority: server, path: "/", query: nil, fragment: nil)
        }
    }

    /// Whether the query looks like that of a presigned URL, which stops working after a while.
    public var isSigned: Bool {
        let names = parameterNames
        return Self.marksOfSignedURLs.contains { $0.isSubset(of: names) }
    }

    /// The names of the query's parameters, percent-decoded and in lower case.
    private var parameterNames: Set<String> {
        guard let query else { return [] }
        var names: Set<String> = []
        for parameter in query.utf8.split(whereSeparator: Self.separatesParameters) {
            names.insert(PercentEncoding.decoded(parameter.prefix { $0 != 0x3D }).lowercasedASCIIText)
        }
        return names
    }

    private static func masked(_ query: String) -> String {
        Array(query.utf8).split(separator: 0x26, omittingEmptySubsequences: false).map(ShownParameter.text)
            .joined(separator: "&")
    }

    /// An ampersand, and a semicolon too: some servers read it so, and a secret must not hide behind it.
    static func separatesParameters(_ byte: UInt8) -> Bool { byte == 0x26 || byte == 0x3B }

    static func namesSecret(_ name: String) -> Bool {
        secretNames.contains(name) || secretParts.contains { name.contains($0) }
    }

    /// Names that are secret as a whole but too short to be looked for within others.
    private static let secretNames: Set<String> = [
        "__gda__", "auth", "authorization", "code", "hdnea", "hdntl", "hdnts", "hmac", "jwt", "key",
        "key-pair-id",
        "md5", "ossaccesskeyid", "pass", "policy", "pwd", "q-ak", "rlkey", "sas", "session", "sid", "sig",
        "sign",
        "ticket", "torrent_pass",
    ]

    /// Parts of names that make a parameter a secret wherever they occur.
    private static let secretParts = [
        "accesskey", "access_key", "api-key", "api_key", "apikey", "auth_", "authkey", "bearer", "credential",
        "passkey", "passwd", "password",
        "private", "secret", "session_", "sessionid", "signature", "token",
    ]

    /// Sets of parameters that occur together in the presigned URLs of each scheme.
    private static let marksOfSignedURLs: [Set<String>] = [
        ["x-amz-signature"], ["x-goog-signature"], ["x-oss-signature"], ["x-obs-signature"],
        ["x-tos-signature"],
        ["q-signature"], ["signature", "expires"], ["signature", "policy"], ["key-pair-id", "signature"],
        ["sig", "se"], ["sig", "sv"], ["hdnea"], ["hdnts"], ["hdntl"], ["__gda__"], ["token", "expires"],
        ["token", "e"], ["token", "exp"], ["md5", "expires"], ["hmac", "expires"], ["sign", "expires"],
        ["sign", "t"], ["jwt", "sig"], ["auth_key"], ["x-bz-authorization"],
    ]
}

extension HTTPURL: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The redacted URL.
    public var description: String { redacted }

    /// The redacted URL.
    public var debugDescription: String { redacted }

    /// A mirror that shows the redacted URL only.
    public var customMirror: Mirror { Mirror(self, children: ["redacted": redacted]) }
}

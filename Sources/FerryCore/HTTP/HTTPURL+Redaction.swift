extension HTTPURL {
    /// The URL for messages and logs (I7), without userinfo and fragment. Parameters of the query and of the path are
    /// masked unless they are known to be harmless (``ShownParameter``). Anything in the path that looks like a token
    /// is masked as well (``ShownPath``).
    public var redacted: String {
        objectName?.shown ?? text(ShownPath.text(path), query.map(Self.masked))
    }

    /// The URL without its secrets: what ``redacted`` masks is masked here as well. It is displayed like this URL,
    /// and can no longer be requested.
    package var withoutSecrets: HTTPURL {
        guard scheme.store == nil else { return self }
        let (shownPath, shownQuery) = (ShownPath.text(path), query.map(Self.masked))
        guard encodedUser != nil || fragment != nil || shownPath != path || shownQuery != query else {
            return self
        }
        do throws(ParseError) {
            return try HTTPURL(parsing: text(shownPath, shownQuery))
        } catch {
            // The masks can make it longer than a URL may be.
            let server = Authority(host: host, port: port)
            return HTTPURL(scheme: scheme, authority: server, path: "/", query: nil, fragment: nil)
        }
    }

    /// The URL with this path and query, without userinfo and fragment.
    private func text(_ path: String, _ query: String?) -> String {
        "\(scheme.rawValue)://\(hostAndPort)\(path)\(query.map { "?\($0)" } ?? "")"
    }

    /// Whether the query looks like that of a presigned URL, which stops working after a while.
    package var isSigned: Bool {
        guard let query else { return false }
        return QuerySignature.isAmong(
            QueryParameter.all(in: query, separatedBy: QueryParameter.anySeparators)
        )
    }

    private static func masked(_ query: String) -> String {
        Array(query.utf8).split(separator: 0x26, omittingEmptySubsequences: false).map(ShownParameter.text)
            .joined(separator: "&")
    }

    /// Whether a parameter of this name, in lowercase, is a secret.
    static func namesSecret(_ name: [UInt8]) -> Bool {
        secretNames.contains(name.text) || secretParts.contains { name.contains(octets: $0) }
    }

    /// Names that are secret as a whole but too short to be searched for within others.
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
    ].map { Array($0.utf8) }
}

extension HTTPURL: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The redacted URL.
    public var description: String { redacted }

    /// The redacted URL.
    public var debugDescription: String { redacted }

    /// A mirror that shows the redacted URL only.
    public var customMirror: Mirror { Mirror(self, children: ["redacted": redacted]) }
}

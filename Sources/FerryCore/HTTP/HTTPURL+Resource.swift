extension HTTPURL {
    /// What tells a resource from the others of its server, for comparison and never for a message: the URL without
    /// userinfo and fragment, and without what a signature adds to its query, which is another one each time.
    ///
    /// A parameter that is not known to belong to a signature stays, as it may say which file is meant. Where it changes
    /// from time to time all the same, two answers are taken for two resources, and their bytes are compared.
    var resource: String {
        let text = "\(scheme.rawValue)://\(hostAndPort)\(path)"
        guard let query else { return text }
        let parameters = query.utf8.split(whereSeparator: Self.separatesParameters)
        let names = parameters.map { PercentEncoding.decoded($0.prefix { $0 != 0x3D }).lowercasedASCIIText }
        guard isSigned || names.contains(where: Self.namesSecret) else { return "\(text)?\(query)" }
        let kept = zip(names, parameters).filter { !Self.belongsToSignature($0.0) }.map { Array($0.1).text }
        return kept.isEmpty ? text : "\(text)?\(kept.joined(separator: "&"))"
    }

    private static func belongsToSignature(_ name: String) -> Bool {
        namesSecret(name) || companions.contains(name) || schemes.contains { name.hasPrefix($0) }
    }

    /// How the parameters of the signature of a cloud begin.
    private static let schemes = ["x-amz-", "x-goog-", "x-oss-", "x-obs-", "x-tos-", "x-cos-", "x-bz-", "q-"]

    /// What else stands beside a signature and changes with it: times, nonces, and the fields of a shared access
    /// signature (Azure).
    private static let companions: Set<String> = [
        "date", "e", "exp", "expire", "expires", "expiry", "googleaccessid", "nonce", "se", "ske", "skoid",
        "sks", "skt",
        "sktid", "skv", "sp", "spr", "sr", "st", "sv", "t", "time", "timestamp", "ts",
    ]
}

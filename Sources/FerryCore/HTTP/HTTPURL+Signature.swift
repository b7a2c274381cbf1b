extension HTTPURL {
    /// The same URL without the parameters that a signature adds to its query, and without those named in `ignored`.
    ///
    /// Only parameters of `signatures` are dropped: any other may say which file is meant. Nothing is dropped from a query
    /// with a semicolon, as some servers take it for an ampersand and others for a part of a value.
    ///
    /// - Parameter ignored: names of parameters, compared without regard to case.
    func withoutSignature(
        _ signatures: [QuerySignature] = QuerySignature.ofStores,
        ignoring ignored: [String] = []
    ) -> HTTPURL {
        guard let query, !query.utf8.contains(0x3B) else { return self }
        let parameters = Self.parameters(of: query)
        let names = Set(parameters.map(\.name))
        let signed = QuerySignature.parameters(of: names, in: signatures)
        let dropped = signed.union(ignored.map { Array($0.utf8).lowercasedASCIIText })
        guard !dropped.isDisjoint(with: names) else { return self }
        let kept = parameters.filter { !dropped.contains($0.name) }.map(\.text)
        return HTTPURL(
            scheme: scheme,
            authority: authority,
            path: path,
            query: kept.isEmpty ? nil : kept.joined(separator: "&"),
            fragment: fragment
        )
    }

    /// Whether this URL was signed before `other`, as far as both say when they were signed, or when they expire.
    func isSignedBefore(_ other: HTTPURL) -> Bool {
        guard let query, let theirs = other.query else { return false }
        let (own, others) = (Self.parameters(of: query), Self.parameters(of: theirs))
        for name in Self.signatureTimes {
            guard let one = own.first(where: { $0.name == name })?.text.utf8.dropFirst(name.utf8.count + 1),
                let two = others.first(where: { $0.name == name })?.text.utf8.dropFirst(name.utf8.count + 1)
            else { continue }
            // Seconds since 1970 or ISO 8601: both grow with their text where that is equally long.
            return one.count == two.count && one.lexicographicallyPrecedes(two)
        }
        return false
    }

    /// Parameters that say when a URL was signed, or when it expires.
    private static let signatureTimes = ["x-amz-date", "x-goog-date", "x-oss-date", "expires", "se"]

    private static func parameters(of query: String) -> [(name: String, text: String)] {
        Array(query.utf8).split(separator: 0x26, omittingEmptySubsequences: false).map { parameter in
            let name = PercentEncoding.decoded(parameter.prefix { $0 != 0x3D }).lowercasedASCIIText
            return (name, Array(parameter).text)
        }
    }
}

/// A way of signing URLs by parameters of their query.
struct QuerySignature {
    /// The parameters that must all be there for it to be this signature, in lower case.
    let marks: Set<String>
    /// The parameters that belong to it, in lower case. Each fresh signature has other values for them.
    let parameters: Set<String>

    /// The names of those parameters that belong to a signature.
    ///
    /// - Parameter names: the names of a query's parameters, in lower case.
    static func parameters(of names: Set<String>, in signatures: [QuerySignature]) -> Set<String> {
        signatures.filter { $0.marks.isSubset(of: names) }.reduce(into: []) { $0.formUnion($1.parameters) }
    }

    /// The signatures of object stores and of what stands before them. The sources are the stores' own documentation.
    static let ofStores: [QuerySignature] = [
        // Amazon S3, signature version 4: "Authenticating Requests: Using Query Parameters".
        prefixed(
            "x-amz-",
            [
                "algorithm", "content-sha256", "credential", "date", "expires", "security-token", "signature",
                "signedheaders",
            ]
        ),
        // Amazon S3, signature version 2: "Signing and authenticating REST requests".
        QuerySignature(
            marks: ["awsaccesskeyid", "signature"],
            parameters: ["awsaccesskeyid", "expires", "signature", "x-amz-security-token"]
        ),
        // Amazon CloudFront: "Use signed URLs".
        QuerySignature(
            marks: ["key-pair-id", "signature"],
            parameters: ["expires", "hash-algorithm", "key-pair-id", "policy", "signature"]
        ),
        // Google Cloud Storage, V4 and V2: "Signed URLs".
        prefixed("x-goog-", ["algorithm", "credential", "date", "expires", "signature", "signedheaders"]),
        QuerySignature(
            marks: ["googleaccessid", "signature"],
            parameters: ["expires", "googleaccessid", "signature"]
        ),
        // Alibaba Cloud OSS, V4 and V1: "Add signatures to URLs".
        prefixed(
            "x-oss-",
            [
                "additional-headers", "credential", "date", "expires", "security-token", "signature",
                "signature-version",
            ]
        ),
        QuerySignature(
            marks: ["ossaccesskeyid", "signature"],
            parameters: ["expires", "ossaccesskeyid", "security-token", "signature"]
        ),
        // Azure Storage: "Create a service SAS", "Create an account SAS", "Create a user delegation SAS".
        QuerySignature(
            marks: ["sig", "sv"],
            parameters: [
                "saoid", "scid", "se", "si", "sig", "sip", "skdutid", "ske", "skoid", "sks", "skt", "sktid",
                "skv", "sp",
                "spr", "sr", "srt", "ss", "st", "suoid", "sv",
            ]
        ),
        // Whatever else signs with an end.
        QuerySignature(marks: ["signature", "expires"], parameters: ["signature", "expires"]),
    ]

    /// Those of delivery networks as well, which sign each redirect anew: Akamai, Google's Media CDN, nginx's
    /// `secure_link`, and tokens with an end.
    static let all: [QuerySignature] =
        ofStores + [
            QuerySignature(marks: ["hdnea"], parameters: ["hdnea"]),
            QuerySignature(marks: ["hdnts"], parameters: ["hdnts"]),
            QuerySignature(marks: ["hdntl"], parameters: ["hdntl"]),
            QuerySignature(marks: ["__gda__"], parameters: ["__gda__"]),
            QuerySignature(marks: ["md5", "expires"], parameters: ["md5", "expires"]),
            QuerySignature(marks: ["hmac", "expires"], parameters: ["hmac", "expires"]),
            QuerySignature(marks: ["token", "expires"], parameters: ["token", "expires"]),
        ]

    private static func prefixed(_ prefix: String, _ names: [String]) -> QuerySignature {
        QuerySignature(marks: [prefix + "signature"], parameters: Set(names.map { prefix + $0 }))
    }
}

extension HTTPURL {
    /// The same URL without the parameters that a signature adds to its query, and without those named in `ignored`.
    ///
    /// Only parameters of a signature that the table ``QuerySignature/all`` knows are dropped: any other may say which file is
    /// meant.
    ///
    /// - Parameter ignored: names of parameters, compared without regard to case.
    func withoutSignature(ignoring ignored: [String] = []) -> HTTPURL {
        guard let query else { return self }
        let parameters = Array(query.utf8).split(separator: 0x26, omittingEmptySubsequences: false)
        let names = parameters.map { PercentEncoding.decoded($0.prefix { $0 != 0x3D }).lowercasedASCIIText }
        let signed = QuerySignature.parameters(of: Set(names))
        let dropped = signed.union(ignored.map { Array($0.utf8).lowercasedASCIIText })
        guard !dropped.isDisjoint(with: names) else { return self }
        let kept = zip(names, parameters).filter { !dropped.contains($0.0) }.map { Array($0.1).text }
        return HTTPURL(
            scheme: scheme,
            authority: authority,
            path: path,
            query: kept.isEmpty ? nil : kept.joined(separator: "&"),
            fragment: fragment
        )
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
    static func parameters(of names: Set<String>) -> Set<String> {
        all.filter { $0.marks.isSubset(of: names) }.reduce(into: []) { $0.formUnion($1.parameters) }
    }

    /// The signatures of object stores and of what stands before them. The sources are the stores' own documentation.
    static let all: [QuerySignature] = [
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
        // A bare signature names nothing else, whoever made it; `Expires` beside it is its end.
        QuerySignature(marks: ["signature"], parameters: ["signature"]),
        QuerySignature(marks: ["signature", "expires"], parameters: ["expires"]),
    ]

    private static func prefixed(_ prefix: String, _ names: [String]) -> QuerySignature {
        QuerySignature(marks: [prefix + "signature"], parameters: Set(names.map { prefix + $0 }))
    }
}

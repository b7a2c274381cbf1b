/// A way to sign URLs with parameters of their query.
struct QuerySignature {
    /// The lowercase parameters that must all be present to identify this signature.
    let marks: Set<String>
    /// The lowercase parameters that belong to it. Each fresh signature changes their values.
    let parameters: Set<String>

    /// Returns the names that belong to a signature.
    ///
    /// - Parameter names: the names of a query's parameters, in lower case.
    static func parameters(of names: Set<String>, in signatures: [QuerySignature]) -> Set<String> {
        signatures.filter { $0.marks.isSubset(of: names) }.reduce(into: []) { $0.formUnion($1.parameters) }
    }

    /// Whether these are the names of the parameters of a signed URL.
    ///
    /// - Parameter names: the names of a query's parameters, in lower case.
    static func isAmong(_ names: Set<String>) -> Bool { all.contains { $0.marks.isSubset(of: names) } }

    /// The signatures of object stores and of the services before them, from the stores' own documentation.
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
        // Any other signature with an expiry.
        QuerySignature(marks: ["signature", "expires"], parameters: ["signature", "expires"]),
    ]

    /// Every known signature. Includes those of delivery networks, which sign each redirect anew (Akamai, Google's
    /// Media CDN, nginx's `secure_link`, and tokens with an expiry), and those that are only recognised.
    static let all: [QuerySignature] =
        ofStores + [
            QuerySignature(marks: ["hdnea"], parameters: ["hdnea"]),
            QuerySignature(marks: ["hdnts"], parameters: ["hdnts"]),
            QuerySignature(marks: ["hdntl"], parameters: ["hdntl"]),
            QuerySignature(marks: ["__gda__"], parameters: ["__gda__"]),
            QuerySignature(marks: ["md5", "expires"], parameters: ["md5", "expires"]),
            QuerySignature(marks: ["hmac", "expires"], parameters: ["hmac", "expires"]),
            QuerySignature(marks: ["token", "expires"], parameters: ["token", "expires"]),
        ] + recognised.map { QuerySignature(marks: $0, parameters: []) }

    /// The marks of signatures whose parameters are never dropped, as they may identify the file.
    private static let recognised: [Set<String>] = [
        ["x-obs-signature"], ["x-tos-signature"], ["q-signature"], ["signature", "policy"], ["sig", "se"],
        ["token", "e"], ["token", "exp"], ["sign", "expires"], ["sign", "t"], ["jwt", "sig"], ["auth_key"],
        ["x-bz-authorization"],
    ]

    private static func prefixed(_ prefix: String, _ names: [String]) -> QuerySignature {
        QuerySignature(marks: [prefix + "signature"], parameters: Set(names.map { prefix + $0 }))
    }
}

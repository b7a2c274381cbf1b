/// A way to sign URLs with parameters of their query.
struct QuerySignature {
    /// The lowercase parameters that must all be present, in these forms, to identify this signature.
    let marks: [String: QueryValueForm]
    /// The lowercase parameters that belong to it. Each fresh signature changes their values.
    let parameters: Set<String>

    private init(marks: Set<String>, forms: [String: QueryValueForm] = [:], parameters: Set<String>) {
        self.marks = Dictionary(uniqueKeysWithValues: marks.map { ($0, .anything) })
            .merging(forms) { _, form in form }
        self.parameters = parameters
    }

    /// Returns the names that belong to a signature.
    static func names(signing parameters: [QueryParameter], in signatures: [QuerySignature]) -> Set<String> {
        signatures.filter { $0.marks(parameters) }.reduce(into: []) { $0.formUnion($1.parameters) }
    }

    /// Whether these are the parameters of a signed URL.
    static func isAmong(_ parameters: [QueryParameter]) -> Bool { all.contains { $0.marks(parameters) } }

    private func marks(_ parameters: [QueryParameter]) -> Bool {
        marks.allSatisfy { name, form in
            let named = parameters.filter { $0.name == name }
            return !named.isEmpty && named.allSatisfy { form.fits($0.value) }
        }
    }

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
        // Azure Storage: "Create a service SAS", with its terms or with a stored policy, and "Create a user delegation
        // SAS".
        azure(
            ["se", "sp", "sr"],
            with: [
                "saoid", "scid", "si", "skdutid", "ske", "skoid", "sks", "skt", "sktid", "skv", "suoid",
            ]
        ),
        azure(["si", "sr"], with: ["se", "sp"]),
        // Azure Storage: "Create an account SAS".
        azure(["se", "sp", "srt", "ss"], with: []),
        // Any other signature with an expiry.
        expiring("signature"),
    ]

    /// Every known signature. Includes those of delivery networks, which sign each redirect again (Akamai, Google's
    /// Media CDN, nginx's `secure_link`, and tokens with an expiry), and those that are only recognised.
    static let all: [QuerySignature] =
        ofStores + [
            QuerySignature(marks: ["hdnea"], parameters: ["hdnea"]),
            QuerySignature(marks: ["hdnts"], parameters: ["hdnts"]),
            QuerySignature(marks: ["hdntl"], parameters: ["hdntl"]),
            QuerySignature(marks: ["__gda__"], parameters: ["__gda__"]),
            expiring("md5", .base64URLOf16),
            expiring("hmac"),
            expiring("token"),
        ] + recognised.map { QuerySignature(marks: $0, parameters: []) }

    /// The marks of signatures whose parameters are never dropped, as they may identify the file.
    private static let recognised: [Set<String>] = [
        ["x-obs-signature"], ["x-tos-signature"], ["q-signature"], ["signature", "policy"], ["sig", "se"],
        ["sig", "sv"],
        ["token", "e"], ["token", "exp"], ["sign", "expires"], ["sign", "t"], ["jwt", "sig"], ["auth_key"],
        ["x-bz-authorization"],
    ]

    /// A signature of Azure Storage: the version of the service and an HMAC beside `marks`.
    private static func azure(_ marks: Set<String>, with others: Set<String>) -> QuerySignature {
        QuerySignature(
            marks: marks,
            forms: ["sv": .date, "sig": .base64Of32],
            parameters: marks.union(others).union(["sig", "sip", "spr", "st", "sv"])
        )
    }

    /// A signature that only its expiry proves, because other services may use the same parameter name.
    private static func expiring(_ name: String, _ form: QueryValueForm = .anything) -> QuerySignature {
        QuerySignature(
            marks: [],
            forms: [name: form, "expires": .moment],
            parameters: [name, "expires"]
        )
    }

    private static func prefixed(_ prefix: String, _ names: [String]) -> QuerySignature {
        QuerySignature(marks: [prefix + "signature"], parameters: Set(names.map { prefix + $0 }))
    }
}

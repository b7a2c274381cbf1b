import FerryCore
import HTTPTypes
import Testing

@testable import FerryCore
@testable import FerryUploads

/// Signed URLs, and what is not signed.
struct PresignerTests {
    private let now = Instant(seconds: 1_800_000_000)

    private func presigner(
        token: String? = nil,
        region: String? = "eu-west-1",
        version: SignatureVersion = .v4
    ) -> Presigner {
        Presigner(
            ObjectStoreCredentials(accessKey: "AKIA", secret: "s3cr3t", sessionToken: token),
            addressing: ObjectStoreAddressing(region: region),
            version: version
        )
    }

    private func url(
        _ presigner: Presigner,
        _ name: String = "s3://bucket/key",
        lifetime: Duration = .seconds(60),
        headers: [HeaderField] = [],
        parameters: [(name: String, value: String?)] = []
    ) throws -> HTTPURL {
        try presigner.url(
            .get,
            ObjectName(parsing: name),
            lifetime: lifetime,
            at: now,
            headers: headers,
            parameters: parameters
        )
    }

    /// Ferry takes two of its own URLs with fresh signatures for the same file, and shows none of the secrets.
    @Test(arguments: [
        ("s3://bucket/key", SignatureVersion.v4, Optional("geheim/1")), ("s3://with.dots/a b/ü", .v4, nil),
        ("oss://bucket/key", .v4, "geheim/1"), ("oss://bucket/a;b/c", .v1, "geheim/1"),
        ("gs://bucket/key", .v4, nil),
    ])
    func ferryRecognisesItsOwnSignatures(_ name: String, _ version: SignatureVersion, _ token: String?) throws
    {
        let parameters: [(name: String, value: String?)] = [("versionId", "a;b&c=d"), ("partNumber", "7")]
        let headers = [
            HeaderField(name: "x-custom", value: "1"), HeaderField(name: "Content-Type", value: "a/b"),
        ]
        let signed = try url(
            presigner(token: token, version: version),
            name,
            headers: headers,
            parameters: parameters
        )
        #expect(signed.isSigned)
        #expect(signed.withoutSignature().query == "versionId=a%3Bb%26c%3Dd&partNumber=7")
        let bare = try url(presigner(token: token, version: version), name)
        #expect(bare.withoutSignature().query == nil && bare.withoutSignature().path == bare.path)
        for shown in [signed.redacted, signed.withoutSecrets.absoluteString] {
            #expect(!shown.contains("AKIA") && !shown.contains("geheim"))
        }
    }

    @Test func aURLOfVersion1EndsAtAMoment() throws {
        let signed = try url(presigner(version: .v1), "oss://bucket/key", lifetime: .milliseconds(60_999))
        #expect(signed.query?.contains("&Expires=1800000060&") == true)
    }

    @Test func aFractionOfASecondIsDropped() throws {
        let signed = try url(presigner(), lifetime: .milliseconds(60_999))
        #expect(signed.query?.contains("X-Amz-Expires=60&") == true)
    }

    @Test(arguments: [
        Duration.zero, .milliseconds(999), .seconds(-5), .seconds(7 * 86_400) + .milliseconds(1),
        .seconds(Int64.max),
    ])
    func aLifetimeHasLimits(_ lifetime: Duration) {
        #expect(throws: SigningRefusal.lifetime(longest: Presigner.longestLifetime)) {
            try url(presigner(), lifetime: lifetime)
        }
    }

    @Test func whatASignatureCannotHaveIsRefused() throws {
        #expect(throws: SigningRefusal.unsupportedVersion(.s3)) { try url(presigner(version: .v1)) }
        #expect(throws: SigningRefusal.sessionTokenUnsupported) {
            try url(presigner(token: "t"), "gs://bucket/key")
        }
        #expect(throws: SigningRefusal.missingRegion(.oss)) {
            var presigner = presigner(region: nil)
            presigner.addressing.endpoint = try HTTPURL(parsing: "https://files.example.org")
            presigner.addressing.style = .customDomain
            _ = try url(presigner, "oss://bucket/key")
        }
        for name in ["X-Amz-Date", "x-oss-signature", "Expires", "Signature", "security-token"] {
            #expect(throws: SigningRefusal.reserved(name: name)) {
                try url(presigner(), parameters: [(name, "1")])
            }
        }
        for name in ["Host", "authorization"] {
            #expect(throws: SigningRefusal.reserved(name: name)) {
                try url(presigner(), headers: [HeaderField(name: name, value: "1")])
            }
        }
        for (key, secret) in [("", "s"), ("k", "")] {
            var presigner = presigner()
            presigner.credentials = ObjectStoreCredentials(accessKey: key, secret: secret)
            #expect(throws: SigningRefusal.emptyCredentials) { try url(presigner) }
        }
        #expect(throws: SigningRefusal.tooLong) {
            try url(presigner(), parameters: [("p", String(repeating: "x", count: 70_000))])
        }
    }

    @Test func theDigestOfAPayloadIsSigned() throws {
        let digest = String(repeating: "ab", count: 32)
        let unsigned = try url(presigner())
        let signed = try url(presigner(), headers: [HeaderField(name: "X-Amz-Content-SHA256", value: digest)])
        #expect(signed.query?.contains("X-Amz-SignedHeaders=host%3Bx-amz-content-sha256&") == true)
        #expect(signed != unsigned)
    }

    @Test func fieldsThatProxiesChangeAreNotSigned() throws {
        let headers = [HeaderField(name: "User-Agent", value: "a"), HeaderField(name: "Expect", value: "b")]
        #expect(try url(presigner(), headers: headers) == url(presigner()))
    }

    @Test func aFieldOfOSSIsSignedByNameOrAlways() throws {
        let headers = [
            HeaderField(name: "Range", value: "bytes=0-1"), HeaderField(name: "x-oss-meta-a", value: "1"),
            HeaderField(name: "Content-Type", value: "a/b"), HeaderField(name: "Cache-Control", value: "c"),
        ]
        let signed = try url(presigner(), "oss://bucket/key", headers: headers)
        #expect(signed.query?.contains("x-oss-additional-headers=cache-control%3Brange&") == true)
    }
}

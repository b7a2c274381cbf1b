import FerryCore
import Testing

@testable import FerryUploads

/// Signatures that the stores' own documentation prints.
struct PublishedSignatureTests {
    // MARK: Amazon S3, "Authenticating Requests (AWS Signature Version 4)"

    private let amazon = ObjectStoreCredentials(
        accessKey: "AKIAIOSFODNN7EXAMPLE",
        secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
    )
    private let day = Instant(seconds: 1_369_353_600)
    private let empty = ObjectPayload.sha256(
        hex: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    )

    private func amazonAddress(_ key: String = "") throws -> ObjectAddress {
        let endpoint = try HTTPURL(parsing: "https://s3.amazonaws.com")
        return try ObjectAddress(
            .s3,
            bucket: "examplebucket",
            key: key,
            ObjectStoreAddressing(endpoint: endpoint)
        )
    }

    private func authorization(_ request: ObjectRequest, _ payload: ObjectPayload) throws -> String {
        let fields = try ObjectSigner(.s3, amazon).fields(for: request, payload, at: day)
        return try #require(fields.last?.value)
    }

    @Test func aPresignedGet() throws {
        let presigner = Presigner(
            amazon,
            addressing: ObjectStoreAddressing(endpoint: try HTTPURL(parsing: "https://s3.amazonaws.com"))
        )
        let name = try ObjectName(parsing: "s3://examplebucket/test.txt")
        let url = try presigner.url(.get, name, lifetime: .seconds(86_400), at: day)
        #expect(
            url.absoluteString
                == "https://examplebucket.s3.amazonaws.com/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256"
                + "&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request"
                + "&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host"
                + "&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404"
        )
    }

    @Test func aGetOfARange() throws {
        let request = ObjectRequest(
            method: "GET",
            address: try amazonAddress("test.txt"),
            headers: [HeaderField(name: "Range", value: "bytes=0-9")]
        )
        #expect(
            try authorization(request, empty)
                == "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, "
                + "SignedHeaders=host;range;x-amz-content-sha256;x-amz-date, "
                + "Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"
        )
    }

    @Test func aPutWithADollarSignInTheKey() throws {
        let request = ObjectRequest(
            method: "PUT",
            address: try amazonAddress("test$file.text"),
            headers: [
                HeaderField(name: "Date", value: "Fri, 24 May 2013 00:00:00 GMT"),
                HeaderField(name: "x-amz-storage-class", value: "REDUCED_REDUNDANCY"),
            ]
        )
        let payload = ObjectPayload.sha256(
            hex: "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072"
        )
        let signature = "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"
        #expect(try authorization(request, payload).hasSuffix("Signature=\(signature)"))
    }

    @Test(arguments: [
        ("lifecycle", nil, "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"),
        ("max-keys", "2", "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"),
    ])
    func parametersOfABucket(_ name: String, _ value: String?, _ signature: String) throws {
        let parameters: [ObjectRequest.Parameter] = [(name, value)]
        let request = ObjectRequest(
            method: "GET",
            address: try amazonAddress(),
            parameters: parameters + (value == nil ? [] : [("prefix", "J")])
        )
        #expect(try authorization(request, empty).hasSuffix("Signature=\(signature)"))
    }

    // MARK: Alibaba Cloud OSS, "Include V1 signatures in the Authorization header"

    @Test func aPutOfOSSInVersion1() throws {
        let request = ObjectRequest(
            method: "PUT",
            address: try ObjectAddress(
                .oss,
                bucket: "oss-example",
                key: "nelson",
                ObjectStoreAddressing(region: "cn-hangzhou")
            ),
            headers: [
                HeaderField(name: "Content-Md5", value: "ODBGOERFMDMzQTczRUY3NUE3NzA5QzdFNUYzMDQxNEM="),
                HeaderField(name: "Content-Type", value: "text/html"),
                HeaderField(name: "X-OSS-Meta-Author", value: "foo@bar.com"),
                HeaderField(name: "X-OSS-Magic", value: "abracadabra"),
            ]
        )
        let credentials = ObjectStoreCredentials(
            accessKey: "44CF9590006BF252F707",
            secret: "OtxrzxIsfpFjA7SwPzILwy8Bw21TLhquhboDYROV"
        )
        let now = try #require(Instant(timestamp: "2005-11-17T18:49:58Z"))
        let fields = try ObjectSigner(.oss, credentials, .v1).fields(for: request, at: now)
        #expect(fields.map(\.name) == ["date", "authorization"])
        #expect(fields.map(\.value).last == "OSS 44CF9590006BF252F707:26NBxoKdsyly4EDv6inkoDft/yA=")
    }

    // MARK: Google Cloud Storage, the conformance tests of its client libraries

    /// A canonical request, by its digest. Google prints those of RSA keys, whose algorithm stands in the query.
    @Test(arguments: [
        ("GET", "test-object", [], "00e2fb794ea93d7adb703edaebdd509821fcc7d4f1a79ac5c8d2b394df109320"),
        ("PUT", "test-object", [], "78742860705da91404222d5d66ff89850292471199c3c2808d116ad12e6177b4"),
        (
            "POST", "test-object", ["X-Goog-Resumable: start"],
            "877f8b40179d2753296f2fd6de815ab40503c7a3c446a7b44aa4e74422ff4daf"
        ),
        (
            "GET", "/path/with/slashes/under_score/amper&sand/file.ext", [],
            "63c601ecd6ccfec84f1113fc906609cbdf7651395f4300cecd96ddd2c35164f8"
        ),
        (
            "GET", "test-object", ["BAR: BAR-value", "foo: foo-value"],
            "59c1ac1a6ee7d773d5c4487ecc861d60b71c4871dd18fc7d8485fac09df1d296"
        ),
        (
            "GET", "test-object",
            ["collapsed: abc    def", "leading:     xyz", "trailing: abc    ", "tabs: \tabc\t\t\t\tdef\t"],
            "19153e83555808dbfeb8969043cc8ce8d5db0cce91dc11fb9df58b8130f09d42"
        ),
    ])
    func canonicalRequestsOfGoogle(
        _ method: String,
        _ key: String,
        _ headers: [String],
        _ digest: String
    ) throws {
        let request = ObjectRequest(
            method: method,
            address: try ObjectAddress(.gs, bucket: "test-bucket", key: key, ObjectStoreAddressing()),
            headers: headers.map { line in
                let parts = line.split(separator: ":", maxSplits: 1)
                return HeaderField(name: String(parts[0]), value: String(parts[1]))
            }
        )
        let store = ObjectStore.gs
        let fields = store.signedFields(of: request)
        let account = "test-iam-credentials@dummy-project-id.iam.gserviceaccount.com"
        let query: [ObjectRequest.Parameter] = [
            ("X-Goog-Algorithm", "GOOG4-RSA-SHA256"),
            ("X-Goog-Credential", "\(account)/20190201/auto/storage/goog4_request"),
            ("X-Goog-Date", "20190201T090000Z"), ("X-Goog-Expires", "10"),
            ("X-Goog-SignedHeaders", store.namedFields(fields)),
        ]
        let canonical = store.canonical(request, query.map(store.encoded), fields)
        #expect(SigningKey.digest(canonical) == digest, "\(canonical)")
    }
}

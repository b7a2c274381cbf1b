import FerryCore
import FerryUploads
import HTTPTypes
import Testing

@Suite("Requests as they are sent to stores")
struct SentRequestTests {
    private static let digest = HTTPField.Name("x-amz-content-sha256")!
    private let now = Instant(seconds: 1_700_000_000)

    private func sent(
        _ url: String,
        _ fields: HTTPFields = [:],
        body: [UInt8]? = nil,
        server: String = "https://store.example"
    ) throws -> ObjectSigner.Sent {
        let url = try HTTPURL(parsing: url)
        let addressing = ObjectStoreAddressing(region: "r", endpoint: try HTTPURL(parsing: server))
        let credentials = ObjectStoreCredentials(accessKey: "A", secret: "s", sessionToken: "t")
        let store = try #require(url.scheme.store)
        return try ObjectSigner(store, credentials).sent(.put, url, [], fields, body, addressing, at: now)
    }

    private func signedNames(_ sent: ObjectSigner.Sent) throws -> [Substring] {
        let value = try #require(sent.fields[.authorization])
        let range = try #require(value.firstRange(of: "SignedHeaders="))
        return value[range.upperBound...].prefix { $0 != "," }.split(separator: ";")
    }

    @Test("fields of the store are signed as they were given, others are not")
    func givenFields() throws {
        let fields: HTTPFields = [
            .init("x-amz-meta-a")!: "1", .init("X-Amz-Request-Payer")!: "requester",
            .contentType: "text/plain",
            .accept: "*/*", .range: "bytes=0-1",
        ]
        let sent = try sent("s3://bucket/key", fields)
        #expect(
            try signedNames(sent) == [
                "content-type", "host", "x-amz-content-sha256", "x-amz-date", "x-amz-meta-a",
                "x-amz-request-payer", "x-amz-security-token",
            ]
        )
        #expect(sent.fields[.accept] == "*/*" && sent.fields[.range] == "bytes=0-1")
    }

    @Test("fields that the signature sets itself are not sent twice")
    func ownFields() throws {
        let given: HTTPFields = [
            .authorization: "Basic x", .init("x-amz-date")!: "20000101T000000Z", Self.digest: "abc",
            .init("X-Amz-Security-Token")!: "stale",
        ]
        let other = try sent("s3://bucket/key")
        #expect(
            try sent("s3://bucket/key", given).fields.map(\.value).sorted()
                == other.fields.map(\.value).sorted()
        )
    }

    @Test("a small body is signed where the connection is not encrypted")
    func bodies() throws {
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        let plain = "http://store.example"
        #expect(try sent("s3://b/key", body: [], server: plain).fields[Self.digest] == empty)
        #expect(try sent("s3://b/key", body: nil, server: plain).fields[Self.digest] == "UNSIGNED-PAYLOAD")
        #expect(try sent("s3://b/key", body: []).fields[Self.digest] == "UNSIGNED-PAYLOAD")
    }

    @Test(
        "any key arrives as it was typed",
        arguments: [
            "a b+c%20d", "é/日本", "a//b", "/lead", "..", "../x", "./y", "q?x=1#f", "end/", "~!*'();:@&=$,[]",
        ]
    )
    func keys(key: String) throws {
        let sent = try sent("s3://bucket/\(key)", server: "https://store.example/prefix")
        let path = PercentEncoding.decoded(sent.url.path.utf8)
        #expect(String(decoding: path, as: UTF8.self) == "/prefix/bucket/\(key)")
        #expect(sent.url.query == nil && sent.url.fragment == nil)
        // What a server or a proxy would resolve is escaped.
        let segments = sent.url.path.split(separator: "/")
        #expect(!segments.contains(".") && !segments.contains(".."))
    }

    @Test("a signer that is prepared signs as any other, also on other days and in other regions")
    func prepared() throws {
        let credentials = ObjectStoreCredentials(accessKey: "A", secret: "s")
        for url in ["s3://bucket/key", "gs://bucket/key", "oss://bucket/key"] {
            let url = try HTTPURL(parsing: url)
            let store = try #require(url.scheme.store)
            let plain = try ObjectSigner(store, credentials)
            var signer = plain
            for (region, day) in [("r", 0), ("r", 1), ("q", 1), ("q", 1)] {
                let moment = now.advanced(by: .seconds(day * 86_400))
                let addressing = ObjectStoreAddressing(region: region)
                func signature(by signer: ObjectSigner) throws -> String? {
                    try signer.sent(.get, url, [], [:], nil, addressing, at: moment)
                        .fields[.authorization]
                }
                let expected = try #require(try signature(by: plain))
                #expect(try signature(by: signer) == expected, "\(store) before")
                try signer.prepare(for: addressing, at: moment)
                #expect(try signature(by: signer) == expected, "\(store) after")
            }
        }
    }

    @Test("what a protocol adds to the query is signed with the version")
    func queries() throws {
        let url = try HTTPURL(parsing: "s3://bucket/key").appending(query: "partNumber=1&uploadId=a%2Bb")
        let signer = try ObjectSigner(.s3, ObjectStoreCredentials(accessKey: "A", secret: "s"))
        let addressing = ObjectStoreAddressing(
            region: "r",
            endpoint: try HTTPURL(parsing: "https://s.example")
        )
        let sent = try signer.sent(.get, url, [("versionId", "1")], [:], nil, addressing, at: now)
        #expect(sent.url.query == "partNumber=1&uploadId=a%2Bb&versionId=1")
    }
}

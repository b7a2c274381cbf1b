import FerryCore
import Testing

@testable import FerryUploads

/// Which server is asked for which path.
struct ObjectAddressTests {
    private func address(_ name: String, _ addressing: ObjectStoreAddressing) throws -> ObjectAddress {
        let name = try ObjectName(parsing: name)
        return try ObjectAddress(name.store, bucket: name.bucket, key: name.key, addressing)
    }

    private func url(
        _ name: String,
        region: String? = nil,
        endpoint: String? = nil,
        style: ObjectStoreAddressing.Style = .automatic
    ) throws -> String {
        let endpoint = try endpoint.map { try HTTPURL(parsing: $0) }
        let addressing = ObjectStoreAddressing(region: region, endpoint: endpoint, style: style)
        let address = try address(name, addressing)
        return "\(address.scheme)://\(address.hostAndPort)\(address.path)"
    }

    @Test(arguments: [
        ("s3://bucket/k", "eu-west-1", "https://bucket.s3.eu-west-1.amazonaws.com/k"),
        ("s3://bucket/k", "cn-north-1", "https://bucket.s3.cn-north-1.amazonaws.com.cn/k"),
        ("s3://with.dots/k", "eu-west-1", "https://s3.eu-west-1.amazonaws.com/with.dots/k"),
        ("s3://Upper_case/k", "us-east-1", "https://s3.us-east-1.amazonaws.com/Upper_case/k"),
        ("oss://bucket/k", "cn-hangzhou", "https://bucket.oss-cn-hangzhou.aliyuncs.com/k"),
        ("oss://bucket/k", "oss-cn-hangzhou", "https://bucket.oss-cn-hangzhou.aliyuncs.com/k"),
        ("gs://bucket/k", nil, "https://storage.googleapis.com/bucket/k"),
        ("gs://with.dots/k", nil, "https://storage.googleapis.com/with.dots/k"),
    ])
    func eachStoreHasItsOwnServers(_ name: String, _ region: String?, _ expected: String) throws {
        #expect(try url(name, region: region) == expected)
    }

    @Test(arguments: [
        ("https://s3.eu-west-1.amazonaws.com", "https://bucket.s3.eu-west-1.amazonaws.com/k"),
        ("https://minio.example.org", "https://minio.example.org/bucket/k"),
        ("http://localhost:9000", "http://localhost:9000/bucket/k"),
        ("http://127.0.0.1:9000/s3/", "http://127.0.0.1:9000/s3/bucket/k"),
        ("http://[::1]:9000", "http://[::1]:9000/bucket/k"),
        ("https://h:443/a(b)", "https://h/a%28b%29/bucket/k"),
    ])
    func anEndpointKeepsItsPortAndItsPrefix(_ endpoint: String, _ expected: String) throws {
        #expect(try url("s3://bucket/k", endpoint: endpoint) == expected)
    }

    @Test func theStyleSaysWhereTheBucketStands() throws {
        let endpoint = "https://h.example:8443/p"
        func url(_ style: ObjectStoreAddressing.Style, _ name: String = "s3://bucket/k") throws -> String {
            try self.url(name, endpoint: endpoint, style: style)
        }
        #expect(try url(.virtualHost) == "https://bucket.h.example:8443/p/k")
        #expect(try url(.virtualHost, "s3://a.b.c/k") == "https://a.b.c.h.example:8443/p/k")
        #expect(try url(.virtualHost, "s3://Bucket/k") == "https://h.example:8443/p/Bucket/k")
        #expect(try url(.path) == "https://h.example:8443/p/bucket/k")
        #expect(try url(.customDomain) == "https://h.example:8443/p/k")
        #expect(try url(.automatic, "oss://bucket/k") == "https://bucket.h.example:8443/p/k")
        #expect(
            try self.url("s3://bucket/k", endpoint: "http://10.0.0.1", style: .virtualHost)
                == "http://10.0.0.1/bucket/k"
        )
        #expect(
            try self.url("oss://bucket/k", region: "cn-x", style: .path)
                == "https://oss-cn-x.aliyuncs.com/bucket/k"
        )
    }

    @Test func aKeyIsEncodedOnce() throws {
        let encoded = "/a%20b%2Bc%2520d//%C3%A9/%28x%29~-_."
        #expect(
            try address("s3://bucket/a b+c%20d//é/(x)~-_.", ObjectStoreAddressing(region: "r")).path
                == encoded
        )
        let leading = try address("gs://bucket//k", ObjectStoreAddressing())
        #expect(leading.path == "/bucket//k" && leading.resource == "/bucket//k")
    }

    @Test func segmentsOfDotsSurviveWhatOthersResolve() throws {
        let address = try address("s3://bucket/a/../b/./c/...", ObjectStoreAddressing(region: "r"))
        #expect(address.path == "/a/../b/./c/...")
        #expect(address.sentPath == "/a/%2E%2E/b/%2E/c/...")
        let request = ObjectRequest(method: "GET", address: address)
        #expect(try request.url([]).path == "/a/%2E%2E/b/%2E/c/...")
    }

    @Test(arguments: [
        ("s3://b/k", "https://s3.amazonaws.com", "us-east-1"),
        ("s3://b/k", "https://s3.dualstack.eu-west-1.amazonaws.com", "eu-west-1"),
        ("s3://b/k", "https://s3.cn-north-1.amazonaws.com.cn", "cn-north-1"),
        ("s3://b/k", "https://minio.example.org", "us-east-1"),
        ("oss://b/k", "https://oss-cn-beijing.aliyuncs.com", "cn-beijing"),
        ("oss://b/k", "https://oss-cn-beijing-internal.aliyuncs.com", "cn-beijing"),
        ("oss://b/k", "https://files.example.org", nil),
        ("gs://b/k", "https://storage.googleapis.com", "auto"),
    ])
    func aServerTellsItsRegion(_ name: String, _ endpoint: String, _ region: String?) throws {
        let addressing = ObjectStoreAddressing(endpoint: try HTTPURL(parsing: endpoint))
        #expect(try address(name, addressing).region == region)
    }

    @Test func whatIsMissingIsNamed() {
        #expect(throws: SigningRefusal.missingRegion(.s3)) { try url("s3://bucket/k") }
        #expect(throws: SigningRefusal.missingRegion(.oss)) { try url("oss://bucket/k") }
        #expect(throws: SigningRefusal.missingEndpoint) {
            try url("s3://bucket/k", region: "r", style: .customDomain)
        }
        for region in ["", "a.b", "h/#", "ü", String(repeating: "r", count: 64)] {
            #expect(throws: SigningRefusal.invalidRegion) { try url("s3://bucket/k", region: region) }
        }
        for endpoint in ["https://u:p@h", "https://h?x", "https://h#x"] {
            #expect(throws: SigningRefusal.invalidEndpoint) { try url("s3://bucket/k", endpoint: endpoint) }
        }
    }
}

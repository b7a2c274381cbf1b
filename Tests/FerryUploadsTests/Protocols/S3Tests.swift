import FerryCore
import HTTPTypes
import Testing

@testable import FerryUploads

/// What a multipart upload sends to S3 and to OSS.
struct S3Tests {
    private let s3 = S3()
    private let oss = S3(.alibaba)

    private func record(_ length: Int64 = 100, named name: String? = nil) throws -> UploadRecord {
        let handle = name.map { _ in "https://b.example/k?x=1" }
        return try UploadExample.record(length, at: "https://b.example/k?x=1", handle: handle, name: name)
    }

    private func text(_ request: UploadRequest) -> String {
        let query = request.url.query.map { "?\($0)" } ?? ""
        return "\(request.method) \(request.url.path)\(query)"
    }

    private func field(_ name: String) throws -> HTTPField.Name { try #require(HTTPField.Name(name)) }

    private func names(_ request: UploadRequest) -> [String] {
        request.fields.map { $0.name.canonicalName }.sorted()
    }

    // MARK: Creating

    @Test func anUploadIsCreatedWithAllThatBelongsToTheObject() throws {
        var record = try record()
        record.contentType = "image/png"
        record.metadata = [HeaderField(name: "owner", value: "a b")]
        record.fields = [
            HeaderField(name: "x-amz-storage-class", value: "STANDARD_IA"),
            HeaderField(name: "If-None-Match", value: "*"),
        ]
        let request = try s3.request(for: .create, of: record)
        #expect(text(request) == "POST /k?x=1&uploads" && !request.isRepeatable)
        #expect(request.fields[.contentType] == "image/png")
        #expect(request.fields[try field("x-amz-meta-owner")] == "a b")
        #expect(request.fields[try field("x-amz-checksum-algorithm")] == "CRC32C")
        #expect(request.fields[try field("x-amz-checksum-type")] == "FULL_OBJECT")
        #expect(request.fields[try field("x-amz-storage-class")] == "STANDARD_IA")
        // A condition belongs to the request that makes the object.
        #expect(request.fields[.ifNoneMatch] == nil)
    }

    @Test func theStoreDecidesWhichChecksumsThereAre() throws {
        #expect(s3.partChecksum(of: try record()) == .crc32c)
        #expect(oss.partChecksum(of: try record()) == .crc64ecma)
        #expect(S3(checksum: .md5).partChecksum(of: try record()) == .md5)
        #expect(S3(checksum: nil).partChecksum(of: try record()) == nil)
        #expect(S3(checksum: .sha512).partChecksum(of: try record()) == nil)
        let hashed = try S3(checksum: .sha256).request(for: .create, of: try record())
        #expect(hashed.fields[try field("x-amz-checksum-algorithm")] == "SHA256")
        #expect(hashed.fields[try field("x-amz-checksum-type")] == nil)
        #expect(try names(S3(checksum: .md5).request(for: .create, of: try record())).isEmpty)
        #expect(try names(oss.request(for: .create, of: try record())).isEmpty)
    }

    @Test func aGivenFieldComesBeforeOneOfFerry() throws {
        var record = try record()
        record.contentType = "image/png"
        record.fields = [HeaderField(name: "content-type", value: "text/plain")]
        let request = try s3.request(for: .create, of: record)
        #expect(request.fields[values: .contentType] == ["text/plain"])
    }

    @Test func aValueThatStoresWriteInDifferentWaysIsRefused() throws {
        for (name, value) in [("owner", "ä"), ("own er", "a"), ("owner", "a\r\nx: y")] {
            var record = try record()
            record.metadata = [HeaderField(name: name, value: value)]
            #expect(throws: TransferFailure.self) { try s3.request(for: .create, of: record) }
        }
    }

    @Test func aFileThatIsTooLongIsNotBegun() throws {
        let longest: Int64 = 10_000 * (5 << 30)
        #expect(throws: Never.self) { try s3.request(for: .create, of: try record(longest)) }
        let failure = #expect(throws: TransferFailure.self) {
            try s3.request(for: .create, of: try record(longest + 1))
        }
        #expect(failure?.code == .refused)
    }

    // MARK: Fields that were given

    @Test(arguments: [
        ("x-amz-storage-class", "whole create"),
        ("Cache-Control", "whole create"),
        ("If-None-Match", "whole complete"),
        ("if-match", "whole complete"),
        ("X-Amz-Request-Payer", "whole create part list complete look abort"),
        ("x-amz-server-side-encryption-customer-key", "whole create part list complete look"),
        ("x-oss-forbid-overwrite", "whole create"),
    ])
    func aFieldGoesWhereAmazonTakesIt(_ name: String, _ expected: String) throws {
        try expect(.amazon, name, expected)
    }

    @Test(arguments: [
        ("x-oss-forbid-overwrite", "whole create complete"),
        ("x-oss-callback", "whole complete"),
        ("x-oss-request-payer", "whole create part list complete look abort"),
        ("x-oss-server-side-encryption", "whole create"),
    ])
    func aFieldGoesWhereAlibabaTakesIt(_ name: String, _ expected: String) throws {
        try expect(.alibaba, name, expected)
    }

    private func expect(_ dialect: S3Dialect, _ name: String, _ expected: String) throws {
        let requests: [(String, S3Dialect.Request)] = [
            ("whole", .whole), ("create", .create), ("part", .part), ("list", .list), ("complete", .complete),
            ("look", .look), ("abort", .abort),
        ]
        let field = HeaderField(name: name, value: "v")
        let found = requests.filter { dialect.sends(field, with: $0.1) }.map(\.0).joined(separator: " ")
        #expect(found == expected)
    }

    // MARK: Parts

    @Test func thePartsAreListedPageByPage() throws {
        let record = try record(named: "a/b+c=")
        let first = try s3.request(for: .ask(after: nil), of: record)
        #expect(text(first) == "GET /k?x=1&uploadId=a%2Fb%2Bc%3D&max-parts=1000")
        let next = try s3.request(for: .ask(after: "7"), of: record)
        #expect(text(next) == "GET /k?x=1&uploadId=a%2Fb%2Bc%3D&max-parts=1000&part-number-marker=7")
    }

    @Test func aPartIsSentWithItsChecksum() throws {
        var part = UploadExample.part(60..<100, number: 2)
        part.checksum = Checksum(redundancyCheck: 0xD3FF_78DC, by: .crc32c)
        let request = try s3.request(for: .append(part), of: try record(named: "U"))
        #expect(text(request) == "PUT /k?x=1&partNumber=2&uploadId=U" && request.isRepeatable)
        #expect(request.body == .file(60..<100))
        #expect(request.fields[try field("x-amz-checksum-crc32c")] == "0/943A==")
        part.checksum = Checksum(algorithm: .md5, digest: [UInt8](repeating: 0, count: 16))
        let other = try s3.request(for: .append(part), of: try record(named: "U"))
        #expect(other.fields[.contentMD5] == "AAAAAAAAAAAAAAAAAAAAAA==")
        part.checksum = Checksum(redundancyCheck: 1, by: .crc64ecma)
        #expect(try names(oss.request(for: .append(part), of: try record(named: "U"))).isEmpty)
    }

    @Test(arguments: [0, 10_001])
    func aNumberThatNoPartHasIsADefect(_ number: Int) throws {
        let part = UploadExample.part(0..<100, number: number)
        let failure = #expect(throws: TransferFailure.self) {
            try s3.request(for: .append(part), of: try record(named: "U"))
        }
        #expect(failure?.code == .internalFault)
    }

    // MARK: Ending

    @Test func allPartsBecomeOneObject() throws {
        var record = try record(named: "U")
        record.parts = [
            SentPart(number: 2, length: 40, tag: "\"b<&>\r'\""),
            SentPart(
                number: 1,
                length: 60,
                tag: "\"a\"",
                checksum: Checksum(redundancyCheck: 0x91E9_1EB3, by: .crc32c)
            ),
        ]
        record.fields = [HeaderField(name: "If-None-Match", value: "*")]
        let request = try s3.request(for: .complete, of: record)
        #expect(text(request) == "POST /k?x=1&uploadId=U" && !request.isRepeatable)
        #expect(request.fields[.ifNoneMatch] == "*")
        guard case .bytes(let body) = request.body else { throw TransferFailure(.internalFault, "no list") }
        #expect(
            String(decoding: body, as: UTF8.self)
                == "<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">"
                + "<Part><PartNumber>1</PartNumber><ETag>&quot;a&quot;</ETag>"
                + "<ChecksumCRC32C>kekesw==</ChecksumCRC32C></Part><Part><PartNumber>2</PartNumber>"
                + "<ETag>&quot;b&lt;&amp;&gt;&#13;'&quot;</ETag></Part></CompleteMultipartUpload>"
        )
        let root = try XMLElement(reading: body)
        #expect(root.all("Part").map { $0.text(of: "ETag") } == ["\"a\"", "\"b<&>\r'\""])
    }

    @Test(arguments: [[], [1], [2], [1, 3], [1, 2, 2], [1, 2, 3]])
    func anObjectIsNotMadeWhileAPartIsMissing(_ numbers: [Int]) throws {
        var record = try record(named: "U")
        record.parts = numbers.map { SentPart(number: $0, length: 50, tag: "\"t\"") }
        let failure = #expect(throws: TransferFailure.self) { try s3.request(for: .complete, of: record) }
        #expect(failure?.code == .internalFault)
    }

    @Test func anUploadIsRemoved() throws {
        let request = try s3.request(for: .abort, of: try record(named: "U"))
        #expect(text(request) == "DELETE /k?x=1&uploadId=U" && request.isRepeatable)
    }

    @Test func anObjectIsLookedForWithItsChecksums() throws {
        let request = try s3.request(for: .look, of: try record(named: "U"))
        #expect(text(request) == "HEAD /k?x=1")
        #expect(request.fields[try field("x-amz-checksum-mode")] == "ENABLED")
        #expect(try names(oss.request(for: .look, of: try record(named: "U"))).isEmpty)
    }

    @Test func aSmallFileGoesInOneRequest() throws {
        var record = try record()
        record.contentType = "text/plain"
        record.checksums = [
            Checksum(algorithm: .md5, digest: [UInt8](repeating: 0, count: 16)),
            Checksum(algorithm: .sha256, digest: [UInt8](repeating: 0, count: 32)),
            Checksum(redundancyCheck: 0xD3FF_78DC, by: .crc32c),
        ]
        let request = try s3.request(for: .sendWhole, of: record)
        #expect(text(request) == "PUT /k?x=1" && request.isRepeatable && request.body == .file(0..<100))
        #expect(names(request) == ["content-md5", "content-type", "x-amz-checksum-crc32c"])
        record.fields = [HeaderField(name: "if-none-match", value: "*")]
        #expect(try !s3.request(for: .sendWhole, of: record).isRepeatable)
        #expect(try names(oss.request(for: .sendWhole, of: record)).contains("content-md5"))
        #expect(s3.rules.longestWhole == 8 << 20)
    }

    @Test func aStoreIsNotAskedWhatItCanDo() throws {
        #expect(!s3.discovers)
        #expect(throws: TransferFailure.self) { try s3.request(for: .discover, of: try record()) }
        #expect(
            s3.reading(try UploadExample.answer(200), to: .discover, of: try record()).code == .internalFault
        )
        #expect(s3.rules.areIndependent && s3.rules.shortest == 5 << 20 && oss.rules.shortest == 100 << 10)
    }
}

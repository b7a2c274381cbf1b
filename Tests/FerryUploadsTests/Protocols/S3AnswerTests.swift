import FerryCore
import HTTPTypes
import Testing

@testable import FerryUploads

/// What the answers of S3 and of OSS mean.
struct S3AnswerTests {
    private let s3 = S3()
    private let oss = S3(.alibaba)

    private func record(_ length: Int64 = 100, named name: String? = "U") throws -> UploadRecord {
        let handle = name.map { _ in "https://b.example/k" }
        return try UploadExample.record(length, at: "https://b.example/k", handle: handle, name: name)
    }

    private func answer(
        _ status: Int,
        _ more: [String: String] = [:],
        _ body: String = ""
    ) throws -> UploadAnswer {
        var fields: HTTPFields = [:]
        for (name, value) in more { fields[try #require(HTTPField.Name(name))] = value }
        return try UploadExample.answer(status, fields, body, from: "https://b.example/k")
    }

    private func error(_ status: Int, _ code: String, request: String = "R1") throws -> UploadAnswer {
        try answer(
            status,
            [:],
            "<?xml version=\"1.0\"?><Error><Code>\(code)</Code><Message>hush</Message>"
                + "<RequestId>\(request)</RequestId></Error>"
        )
    }

    // MARK: Creating

    @Test("a store names the upload, as Amazon or as rclone", arguments: ["Result", ""])
    func aStoreNamesTheUpload(_ ending: String) throws {
        let body = """
            <?xml version="1.0" encoding="UTF-8"?>
            <InitiateMultipartUpload\(ending) xmlns="http://s3.amazonaws.com/doc/2006-03-01/">
              <Bucket>b</Bucket><Key>k</Key><UploadId>a&amp;b</UploadId>
            </InitiateMultipartUpload\(ending)>
            """
        let handle = UploadHandle(url: try UploadExample.url("https://b.example/k"), name: "a&b")
        let reading = s3.reading(try answer(200, [:], body), to: .create, of: try record(named: nil))
        #expect(reading == .created(handle, offset: 0))
    }

    @Test(arguments: [
        "", "<html></html>", "<InitiateMultipartUploadResult/>", "{}",
        "<InitiateMultipartUploadResult><UploadId></UploadId></InitiateMultipartUploadResult>",
        "<InitiateMultipartUploadResult><UploadId>a</UploadId><UploadId>b</UploadId></InitiateMultipartUploadResult>",
        "<InitiateMultipartUploadResult><UploadId>a</UploadId>",
    ])
    func anUploadWithoutANameFails(_ body: String) throws {
        let reading = s3.reading(try answer(200, [:], body), to: .create, of: try record(named: nil))
        #expect(reading.code == .badResponse && !reading.isTransient)
    }

    @Test func aServerThatIsNoStoreDoesNotSpeakIt() throws {
        #expect(s3.reading(try answer(405), to: .create, of: try record()) == .notSpoken)
        #expect(s3.reading(try error(400, "NotImplemented"), to: .create, of: try record()) == .notSpoken)
    }

    // MARK: Errors

    @Test(arguments: [
        (403, "AccessDenied", TransferFailure.Code.forbidden, false),
        (403, "SignatureDoesNotMatch", .notAuthorised, false),
        (403, "InvalidAccessKeyId", .notAuthorised, false),
        (400, "ExpiredToken", .notAuthorised, false), (404, "NoSuchBucket", .notFound, false),
        (503, "SlowDown", .serverOverloaded, true), (400, "RequestTimeout", .timeout, true),
        (200, "InternalError", .serverError, true), (500, "InternalError", .serverError, true),
        (403, "RequestTimeTooSkewed", .refused, true), (412, "PreconditionFailed", .destinationExists, false),
        (409, "FileAlreadyExists", .destinationExists, false), (409, "OperationAborted", .refused, true),
        (400, "EntityTooLarge", .refused, false), (400, "InvalidPartOrder", .refused, false),
        (418, "Whatever", .refused, false), (500, "Whatever", .serverError, true),
        (200, "Whatever", .badResponse, false),
    ])
    func anErrorSaysWhatIsTheMatter(
        _ status: Int,
        _ code: String,
        _ expected: TransferFailure.Code,
        _ isTransient: Bool
    ) throws {
        for step in [UploadStep.sendWhole, .create, .ask(after: nil), .complete] {
            let reading = s3.reading(try error(status, code), to: step, of: try record())
            #expect(reading.code == expected && reading.isTransient == isTransient, "\(step)")
            let message = reading.problem?.failure.message ?? ""
            #expect(message.hasSuffix(" (\(code), request R1)."), "\(message)")
            #expect(!message.contains("hush"))
        }
    }

    @Test func onlyWordsOfAnErrorAreShown() throws {
        let reading = s3.reading(try error(403, "Access Denied: key=1"), to: .create, of: try record())
        #expect(reading.code == .forbidden)
        #expect(reading.problem?.failure.message.contains("key=1") == false)
        let request = s3.reading(try error(400, "Odd", request: "a b"), to: .create, of: try record())
        #expect(request.problem?.failure.message == "b.example refused the request (400) (Odd).")
    }

    @Test func aStoreSaysHowLongToWait() throws {
        var slow = try error(400, "SlowDown")
        slow.fields[.retryAfter] = "7"
        let reading = s3.reading(slow, to: .create, of: try record())
        #expect(reading.problem?.disposition == .transient(retryAfter: .seconds(7)))
    }

    // MARK: Parts

    private func page(_ parts: String, _ rest: String = "", id: String = "U") -> String {
        "<ListPartsResult><UploadId>\(id)</UploadId>\(rest)\(parts)</ListPartsResult>"
    }

    private func item(
        _ number: String,
        _ size: String = "60",
        _ more: String = "<ETag>&quot;a&quot;</ETag>"
    ) -> String {
        "<Part><PartNumber>\(number)</PartNumber><Size>\(size)</Size>\(more)</Part>"
    }

    private func list(
        _ body: String,
        after marker: String? = nil,
        _ protocol: S3? = nil
    ) throws -> UploadReading {
        (`protocol` ?? s3).reading(try answer(200, [:], body), to: .ask(after: marker), of: try record())
    }

    @Test func aListMayHaveTheNameThatMotoGivesIt() throws {
        let body = page(item("1"))
        #expect(
            try list(body.replacing("ListPartsResult", with: "ListPartsResponse")) == list(body)
        )
    }

    @Test func aStoreListsItsParts() throws {
        let sum = "<ETag>\"b\"</ETag><ChecksumCRC32C>0/943A==</ChecksumCRC32C>"
        let parts = [
            SentPart(number: 1, length: 60, tag: "\"a\""),
            SentPart(
                number: 3,
                length: 40,
                tag: "\"b\"",
                checksum: Checksum(redundancyCheck: 0xD3FF_78DC, by: .crc32c)
            ),
        ]
        let items = item("1") + item("3", "40", sum)
        #expect(try list(page(items)) == .lists(parts, next: nil))
        #expect(try list(page(items, "<IsTruncated>false</IsTruncated>")) == .lists(parts, next: nil))
        let more = "<IsTruncated>true</IsTruncated><NextPartNumberMarker>3</NextPartNumberMarker>"
        #expect(try list(page(items, more)) == .lists(parts, next: "3"))
        #expect(try list(page(items, more), after: "2") == .lists(parts, next: "3"))
        #expect(try list(page("")) == .lists([], next: nil))
        let check = "<ETag>\"b\"</ETag><HashCrc64ecma>4057382473722803716</HashCrc64ecma>"
        let told = SentPart(
            number: 2,
            length: 40,
            tag: "\"b\"",
            checksum: Checksum(redundancyCheck: 0x384E_B7DC_E824_B604, by: .crc64ecma)
        )
        #expect(try list(page(item("2", "40", check)), oss) == .lists([told], next: nil))
    }

    @Test func aListThatCannotBeUsedFails() throws {
        let endless = "<IsTruncated>true</IsTruncated><NextPartNumberMarker>3</NextPartNumberMarker>"
        let pages = [
            "", "<ListPartsResult/>", page(item("0")), page(item("10001")), page(item("x")),
            page(item("1", "-1")),
            page(item("1", "")), page(item("1", "60", "")), page(item("1", "60", "<ETag></ETag>")),
            page("", "<IsTruncated>true</IsTruncated>"), page("", "<IsTruncated>maybe</IsTruncated>"),
            page("", id: "V"), page(item("99999999999999999999")), "<Error/>", page("") + page(""),
        ]
        for body in pages { #expect(try list(body).code == .badResponse, "\(body)") }
        // It would be asked for the same page forever.
        #expect(try list(page("", endless), after: "3").code == .badResponse)
    }

    @Test func anUploadThatIsNotKnownIsGone() throws {
        let part = UploadStep.append(UploadExample.part(0..<60))
        for step in [UploadStep.ask(after: nil), part, .complete] {
            #expect(s3.reading(try error(404, "NoSuchUpload"), to: step, of: try record()) == .gone)
            #expect(s3.reading(try answer(404), to: step, of: try record()) == .gone)
            #expect(s3.reading(try error(404, "NoSuchBucket"), to: step, of: try record()).code == .notFound)
        }
    }

    // MARK: Appending

    @Test func aStoreTakesAPart() throws {
        var part = UploadExample.part(60..<100, number: 2)
        func reading(_ fields: [String: String], _ store: S3) throws -> UploadReading {
            store.reading(try answer(200, fields), to: .append(part), of: try record())
        }
        #expect(try reading(["ETag": "\"b\""], s3) == .took(SentPart(number: 2, length: 40, tag: "\"b\"")))
        #expect(try reading([:], s3).code == .badResponse)
        part.checksum = Checksum(redundancyCheck: 0xD3FF_78DC, by: .crc32c)
        let told = SentPart(number: 2, length: 40, tag: "\"b\"", checksum: part.checksum)
        #expect(try reading(["ETag": "\"b\"", "x-amz-checksum-crc32c": "0/943A=="], s3) == .took(told))
        #expect(try reading(["ETag": "\"b\"", "x-amz-checksum-crc32c": "kekesw=="], s3) == .damaged)
        // It did not check what it was sent.
        #expect(try reading(["ETag": "\"b\""], s3) == .took(SentPart(number: 2, length: 40, tag: "\"b\"")))
        part.checksum = Checksum(redundancyCheck: 0x384E_B7DC_E824_B604, by: .crc64ecma)
        let checked = SentPart(number: 2, length: 40, tag: "\"b\"", checksum: part.checksum)
        let right = ["ETag": "\"b\"", "x-oss-hash-crc64ecma": "4057382473722803716"]
        #expect(try reading(right, oss) == .took(checked))
        #expect(try reading(["ETag": "\"b\"", "x-oss-hash-crc64ecma": "1"], oss) == .damaged)
    }

    @Test(arguments: [
        "BadDigest", "InvalidDigest", "XAmzContentSHA256Mismatch", "XAmzContentChecksumMismatch",
    ])
    func damagedBytesAreSentAgain(_ code: String) throws {
        let step = UploadStep.append(UploadExample.part(0..<60))
        #expect(s3.reading(try error(400, code), to: step, of: try record()) == .damaged)
    }

    // MARK: Completing

    @Test func aStoreMakesOneObject() throws {
        func result(
            _ body: String,
            _ fields: [String: String] = [:],
            _ store: S3? = nil
        ) throws -> UploadResult? {
            let body = "<CompleteMultipartUploadResult>\(body)</CompleteMultipartUploadResult>"
            let reading = (store ?? s3).reading(
                try answer(200, fields, body),
                to: .complete,
                of: try record()
            )
            guard case .done(let result) = reading else { return nil }
            return result
        }
        let plain = try result("<ETag>\"x-2\"</ETag>", ["x-amz-version-id": "v"])
        #expect(plain?.entityTag == "\"x-2\"" && plain?.version == "v" && plain?.checksums == [])
        let sum = "<ChecksumCRC32C>5kkizA==</ChecksumCRC32C>"
        let whole = Checksum(redundancyCheck: 0xE649_22CC, by: .crc32c)
        #expect(try result(sum + "<ChecksumType>FULL_OBJECT</ChecksumType>")?.checksums == [whole])
        #expect(try result(sum)?.checksums == [whole])
        #expect(try result(sum + "<ChecksumType>COMPOSITE</ChecksumType>")?.checksums == [])
        #expect(try result("<ChecksumCRC32C>5kkizA==-2</ChecksumCRC32C>")?.checksums == [])
        let check = ["x-oss-hash-crc64ecma": "4094588037599012060"]
        #expect(
            try result("", check, oss)?.checksums
                == [Checksum(redundancyCheck: 0x38D2_E620_4AA7_24DC, by: .crc64ecma)]
        )
    }

    @Test(arguments: ["", " ", "<CompleteMultipartUploadResult>", "<a/>"])
    func anAnswerThatBreaksOffDecidesNothing(_ body: String) throws {
        let reading = s3.reading(try answer(200, [:], body), to: .complete, of: try record())
        #expect(reading.code == .badResponse && reading.isTransient)
    }

    @Test func aPartThatIsNotThereIsAskedFor() throws {
        #expect(s3.reading(try error(400, "InvalidPart"), to: .complete, of: try record()) == .misplaced(nil))
        #expect(s3.reading(try error(200, "InvalidPart"), to: .complete, of: try record()) == .misplaced(nil))
    }

    // MARK: Looking

    @Test func theObjectIsRecognisedByWhatItIsMadeOf() throws {
        var record = try record()
        record.parts = [
            SentPart(number: 2, length: 40, tag: "\"92EB5FFEE6AE2FEC3AD71C777531578F\""),
            SentPart(number: 1, length: 60, tag: "\"0cc175b9c0f1b6a831c399e269772661\""),
        ].sorted { $0.number < $1.number }
        func reading(_ fields: [String: String], _ store: S3? = nil) throws -> UploadReading {
            (store ?? s3).reading(try answer(200, fields), to: .look, of: record)
        }
        let tag = "\"96e024ba2074fe77e8e965ba43a704be-2\""
        #expect(try reading(["Content-Length": "100", "ETag": tag]).isDone)
        #expect(try reading(["Content-Length": "99", "ETag": tag]) == .absent)
        #expect(
            try reading(["Content-Length": "100", "ETag": "\"96e024ba2074fe77e8e965ba43a704be-3\""])
                == .absent
        )
        #expect(try reading(["Content-Length": "100"]) == .absent)
        #expect(try reading(["ETag": tag]).code == .badResponse)
        // OSS makes its tags in another way.
        #expect(try reading(["Content-Length": "100", "ETag": tag], oss) == .absent)
    }

    @Test func theObjectIsRecognisedByItsChecksum() throws {
        var record = try record()
        record.parts = [
            SentPart(
                number: 1,
                length: 60,
                tag: "\"a\"",
                checksum: Checksum(redundancyCheck: 0xD3A9_1EB3, by: .crc32c)
            ),
            SentPart(
                number: 2,
                length: 40,
                tag: "\"b\"",
                checksum: Checksum(redundancyCheck: 0xD3FF_78DC, by: .crc32c)
            ),
        ]
        func reading(_ fields: [String: String]) throws -> UploadReading {
            s3.reading(
                try answer(200, fields.merging(["Content-Length": "100"]) { $1 }),
                to: .look,
                of: record
            )
        }
        #expect(try reading(["x-amz-checksum-crc32c": "5kkizA=="]).isDone)
        #expect(try reading(["x-amz-checksum-crc32c": "0/943A=="]) == .absent)
        #expect(
            try reading(["x-amz-checksum-crc32c": "5kkizA==", "x-amz-checksum-type": "COMPOSITE"]) == .absent
        )
        record.checksums = [Checksum(redundancyCheck: 1, by: .crc32c)]
        #expect(try reading(["x-amz-checksum-crc32c": "5kkizA=="]) == .absent)
    }

    @Test func aWholeFileIsRecognisedByItsMD5() throws {
        var record = try record(named: nil)
        record.checksums = [try Checksum(parsing: "md5=0cc175b9c0f1b6a831c399e269772661")]
        func reading(_ tag: String) throws -> UploadReading {
            s3.reading(try answer(200, ["Content-Length": "100", "ETag": tag]), to: .look, of: record)
        }
        #expect(try reading("\"0cc175b9c0f1b6a831c399e269772661\"").isDone)
        #expect(try reading("\"92eb5ffee6ae2fec3ad71c777531578f\"") == .absent)
    }

    @Test func anObjectThatCannotBeSeenLeavesItOpen() throws {
        #expect(s3.reading(try answer(404), to: .look, of: try record()) == .absent)
        let hidden = s3.reading(try answer(403), to: .look, of: try record())
        #expect(hidden.code == .outcomeUnknown && !hidden.isTransient)
        #expect(s3.reading(try answer(503), to: .look, of: try record()).isTransient)
    }

    // MARK: Removing

    @Test func whatIsNotThereIsRemoved() throws {
        #expect(s3.reading(try answer(204), to: .abort, of: try record()) == .removed)
        #expect(s3.reading(try error(404, "NoSuchUpload"), to: .abort, of: try record()) == .removed)
        #expect(s3.reading(try error(503, "SlowDown"), to: .abort, of: try record()).isTransient)
    }
}

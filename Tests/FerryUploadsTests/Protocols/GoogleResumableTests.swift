import FerryCore
import HTTPTypes
import Testing

@testable import FerryUploads

/// What resumable uploads to Google send, and what the answers mean.
struct GoogleResumableTests {
    private let google = GoogleResumable()
    private let json = GoogleResumable(.json)
    private static let session = "https://storage.googleapis.com/b/k?upload_id=secret"
    private let unit: Int64 = 256 << 10

    private func answer(
        _ status: Int,
        _ more: [String: String] = [:],
        _ body: String = ""
    ) throws -> UploadAnswer {
        var fields: HTTPFields = [:]
        for (name, value) in more { fields[try #require(HTTPField.Name(name))] = value }
        return try UploadExample.answer(status, fields, body, from: "https://storage.googleapis.com/b/k")
    }

    private func record(
        _ length: Int64 = 1_000_000,
        at url: String = "https://storage.googleapis.com/b/k"
    ) throws
        -> UploadRecord
    { try UploadExample.record(length, at: url) }

    private func created(_ length: Int64 = 1_000_000) throws -> UploadRecord {
        try UploadExample.record(length, at: "https://storage.googleapis.com/b/k", handle: Self.session)
    }

    private func part(_ range: Range<Int64>) -> UploadStep {
        .append(UploadExample.part(range, of: 1_000_000))
    }

    // MARK: Creating

    @Test func aSessionIsBegun() throws {
        var record = try record()
        record.contentType = "text/plain"
        record.metadata = [HeaderField(name: "owner", value: "me")]
        record.fields = [HeaderField(name: "x-goog-if-generation-match", value: "0")]
        let request = try google.request(for: .create, of: record)
        #expect(request.method == .post && request.url == record.url && !request.isRepeatable)
        #expect(request.body == .bytes([]) && request.fields[.googleResumable] == "start")
        #expect(request.fields[.contentType] == "text/plain")
        #expect(request.fields[try #require(HTTPField.Name("x-goog-meta-owner"))] == "me")
        #expect(request.fields[try #require(HTTPField.Name("x-goog-if-generation-match"))] == "0")
    }

    @Test func whatMustNotExistHasGenerationZero() throws {
        let name = try #require(HTTPField.Name("x-goog-if-generation-match"))
        for step in [UploadStep.create, .sendWhole] {
            var record = try record(1000)
            record.fields = [HeaderField(name: "If-None-Match", value: "*")]
            let request = try google.request(for: step, of: record)
            #expect(request.fields[name] == "0" && request.fields[.ifNoneMatch] == nil)
            #expect(!request.isRepeatable)
            record.fields.append(HeaderField(name: "X-Goog-If-Generation-Match", value: "7"))
            #expect(throws: TransferFailure.self) { try google.request(for: step, of: record) }
            record.fields = [HeaderField(name: "If-Match", value: "\"tag\"")]
            #expect(throws: TransferFailure.self) { try google.request(for: step, of: record) }
        }
    }

    @Test func aSessionIsBegunInJSON() throws {
        let url = "https://storage.googleapis.com/upload/storage/v1/b/b/o"
        var record = try record(at: url)
        record.contentType = "text/plain"
        record.metadata = [HeaderField(name: "a\"", value: "ä")]
        let request = try json.request(for: .create, of: record)
        #expect(request.url == (try UploadExample.url(url + "?uploadType=resumable")))
        let body = "{\"name\":\"a.bin\",\"contentType\":\"text/plain\",\"metadata\":{\"a\\\"\":\"ä\"}}"
        #expect(request.body == .bytes(Array(body.utf8)))
        #expect(request.fields[.uploadContentLength] == "1000000")
        let full = try self.record(at: url + "?uploadType=resumable&name=k")
        let named = try json.request(for: .create, of: full)
        #expect(named.url == full.url && named.body == .bytes(Array("{}".utf8)))
    }

    @Test func theStoreNamesTheSession() throws {
        let handle = UploadHandle(url: try UploadExample.url(Self.session))
        for status in [200, 201] {
            let reading = google.reading(
                try answer(status, ["Location": Self.session]),
                to: .create,
                of: try record()
            )
            #expect(reading == .created(handle, offset: 0))
        }
        func code(_ answer: UploadAnswer) throws -> TransferFailure.Code? {
            google.reading(answer, to: .create, of: try record()).code
        }
        #expect(try code(answer(201)) == .badResponse)
        #expect(try code(answer(201, ["Location": "http://storage.googleapis.com/x"])) == .redirectRefused)
        #expect(try code(answer(412)) == .destinationExists)
        #expect(try code(answer(403, [:], "<Error><Code>AccessDenied</Code></Error>")) == .forbidden)
        #expect(google.reading(try answer(405), to: .create, of: try record()) == .notSpoken)
    }

    @Test func theURLOfASessionIsNotShown() throws {
        let handle = UploadHandle(url: try UploadExample.url(Self.session))
        #expect(!"\(handle)".contains("secret"))
    }

    // MARK: Asking and appending

    @Test func theStoreSaysHowFarItIs() throws {
        let request = try google.request(for: .ask(after: nil), of: try created())
        #expect(request.method == .put && request.isRepeatable && request.body == .bytes([]))
        #expect(request.fields == [.contentRange: "bytes */1000000"])
        func reading(_ fields: [String: String], _ status: Int = 308) throws -> UploadReading {
            google.reading(try answer(status, fields), to: .ask(after: nil), of: try created())
        }
        #expect(try reading([:]) == .reached(0, expiry: nil))
        #expect(try reading(["Range": "bytes=0-262143"]) == .reached(262_144, expiry: nil))
        // All bytes are there. It has to be told that there are no more.
        #expect(try reading(["Range": "bytes=0-999999"]) == .reached(1_000_000, expiry: nil))
        #expect(try google.request(for: .complete, of: try created()) == request)
        #expect(try reading([:], 200).isDone)
        #expect(try reading([:], 201).isDone)
        for text in [
            "bytes=0-1000000", "bytes=1-5", "bytes=0-", "0-5", "bytes=0-9223372036854775807", "bytes=0-5,7-8",
            "bytes=0--1",
        ] {
            #expect(try reading(["Range": text]).code == .badResponse, "\(text)")
        }
        for status in [404, 410, 499] { #expect(try reading([:], status) == .gone) }
        #expect(try reading([:], 503).isTransient)
    }

    @Test func aPartHasAMultipleOfTheUnit() throws {
        let some = try google.request(for: part(unit..<3 * unit + 5), of: try created())
        #expect(some.body == .file(unit..<3 * unit) && !some.isRepeatable)
        #expect(some.fields == [.contentRange: "bytes 262144-786431/1000000"])
        let last = try google.request(for: part(3 * unit..<1_000_000), of: try created())
        #expect(last.fields == [.contentRange: "bytes 786432-999999/1000000"])
        let failure = #expect(throws: TransferFailure.self) {
            try google.request(for: part(0..<5), of: try created())
        }
        #expect(failure?.code == .internalFault)
        let empty = try google.request(for: .append(UploadExample.part(0..<0, of: 0)), of: try created(0))
        #expect(empty.fields == [.contentRange: "bytes */0"] && empty.body == .bytes([]))
        #expect(google.rules.unit == unit && !google.rules.areIndependent)
    }

    @Test func theStoreSaysWhatItTook() throws {
        func reading(_ status: Int, _ range: String?, _ sent: Range<Int64>) throws -> UploadReading {
            google.reading(
                try answer(status, range.map { ["Range": $0] } ?? [:]),
                to: part(sent),
                of: try created()
            )
        }
        let first = unit..<2 * unit
        #expect(try reading(308, "bytes=0-524287", first) == .reached(2 * unit, expiry: nil))
        #expect(try reading(308, "bytes=0-262143", first) == .reached(unit, expiry: nil))
        #expect(try reading(308, nil, first) == .misplaced(0))
        #expect(try reading(308, "bytes=0-524288", first).code == .badResponse)
        #expect(try reading(200, nil, first).code == .badResponse)
        #expect(try reading(200, nil, 2 * unit..<1_000_000).isDone)
        #expect(try reading(404, nil, first) == .gone)
        #expect(try reading(400, nil, first).code == .refused)
    }

    // MARK: The object

    @Test func theStoreSaysWhatItMade() throws {
        func reading(
            _ protocol: GoogleResumable,
            _ fields: [String: String],
            _ body: String = ""
        ) throws
            -> UploadReading
        { `protocol`.reading(try answer(200, fields, body), to: .ask(after: nil), of: try created()) }
        func result(_ reading: UploadReading) -> UploadResult? {
            if case .done(let result) = reading { result } else { nil }
        }
        let sum = Checksum(redundancyCheck: 0xE649_22CC, by: .crc32c)
        let fields = [
            "ETag": "\"e\"", "x-goog-generation": "7", "x-goog-hash": "crc32c=5kkizA==",
            "x-goog-stored-content-length": "1000000",
        ]
        let xml = result(try reading(google, fields))
        #expect(xml?.entityTag == "\"e\"" && xml?.version == "7" && xml?.checksums == [sum])
        let body = "{\"size\":\"1000000\",\"etag\":\"e\",\"generation\":\"7\",\"crc32c\":\"5kkizA==\"}"
        let described = result(try reading(json, [:], body))
        #expect(described?.entityTag == "e" && described?.version == "7" && described?.checksums == [sum])
        #expect(try reading(google, ["x-goog-stored-content-length": "5"]).code == .badResponse)
        #expect(try reading(json, [:], "{\"size\":\"5\"}").code == .badResponse)
        #expect(try reading(json, [:], "{").isDone)
    }

    @Test func aSmallFileGoesInOneRequest() throws {
        var record = try record(5)
        record.checksums = [Checksum(redundancyCheck: 0xE649_22CC, by: .crc32c)]
        let request = try google.request(for: .sendWhole, of: record)
        #expect(request.method == .put && request.isRepeatable && request.body == .file(0..<5))
        #expect(request.fields[.googleHash] == "crc32c=5kkizA==")
        record.fields = [HeaderField(name: "X-Goog-If-Generation-Match", value: "0")]
        #expect(try !google.request(for: .sendWhole, of: record).isRepeatable)
        #expect(google.reading(try answer(200), to: .sendWhole, of: record).isDone)
        #expect(google.reading(try answer(412), to: .sendWhole, of: record).code == .destinationExists)
        #expect(google.rules.longestWhole == 8 << 20 && json.rules.longestWhole == 0)
        #expect(throws: TransferFailure.self) { try json.request(for: .sendWhole, of: record) }
    }

    @Test func aWholeFileIsRecognisedByItsChecksum() throws {
        var record = try record(5)
        func reading(_ fields: [String: String], _ status: Int = 200) throws -> UploadReading {
            google.reading(try answer(status, fields), to: .look, of: record)
        }
        let right = ["Content-Length": "5", "x-goog-hash": "crc32c=5kkizA=="]
        #expect(try google.request(for: .look, of: record).method == .head)
        #expect(try reading(right) == .absent)
        record.checksums = [Checksum(redundancyCheck: 0xE649_22CC, by: .crc32c)]
        #expect(try reading(right).isDone)
        #expect(try reading(right.merging(["Content-Length": "6"]) { $1 }) == .absent)
        #expect(try reading(right.merging(["x-goog-stored-content-length": "6"]) { $1 }) == .absent)
        #expect(try reading(["Content-Length": "5", "x-goog-hash": "crc32c=kekesw=="]) == .absent)
        #expect(try reading([:], 404) == .absent)
        #expect(try reading([:], 503).isTransient)
    }

    @Test(arguments: [204, 499, 404, 410, 200])
    func aSessionIsRemoved(_ status: Int) throws {
        let request = try google.request(for: .abort, of: try created())
        #expect(request.method == .delete && request.url.query == "upload_id=secret")
        #expect(google.reading(try answer(status), to: .abort, of: try created()) == .removed)
    }
}

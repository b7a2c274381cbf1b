import FerryCore
import HTTPTypes
import Testing

@testable import FerryUploads

/// What resumable uploads of the IETF send, and what the answers mean.
struct ResumableHTTPTests {
    private let latest = ResumableHTTP()

    private func answer(
        _ status: Int,
        _ more: [String: String] = [:],
        _ body: String = ""
    ) throws -> UploadAnswer {
        var fields: HTTPFields = [:]
        for (name, value) in more { fields[try #require(HTTPField.Name(name))] = value }
        return try UploadExample.answer(status, fields, body)
    }

    private func created(_ length: Int64 = 100, longestAppend: Int64? = nil) throws -> UploadRecord {
        var record = try UploadExample.record(length, handle: "https://up.example/u")
        record.handle?.longestAppend = longestAppend
        return record
    }

    private func handle(_ url: String = "https://up.example/u") throws -> UploadHandle {
        UploadHandle(url: try UploadExample.url(url))
    }

    // MARK: Versions

    @Test(arguments: [
        (8, "upload-complete", "?1", true), (7, "upload-complete", "?1", true),
        (6, "upload-complete", "?1", true),
        (5, "upload-complete", "?1", false), (4, "upload-complete", "?1", false),
        (3, "upload-incomplete", "?0", false),
    ])
    func eachVersionHasItsOwnFields(_ number: Int, _ name: String, _ complete: String, _ hasType: Bool) throws
    {
        let draft = try #require(ResumableHTTP(version: number))
        let record = try created()
        for request in [
            try draft.request(for: .create, of: record),
            try draft.request(for: .append(UploadExample.part(60..<100)), of: record),
        ] {
            #expect(request.fields[.uploadDraftInteropVersion] == String(number))
            #expect(request.fields[try #require(HTTPField.Name(name))] == complete)
        }
        let part = try draft.request(for: .append(UploadExample.part(0..<60)), of: record)
        #expect(part.fields[try #require(HTTPField.Name(name))] == (complete == "?1" ? "?0" : "?1"))
        #expect(part.fields[.contentType] == (hasType ? "application/partial-upload" : nil))
        #expect(part.fields[.uploadOffset] == "0" && part.method == .patch && !part.isRepeatable)
        let position = try answer(204, ["Upload-Offset": "100", name: complete])
        #expect(draft.reading(position, to: .ask(after: nil), of: record).isDone)
    }

    @Test(arguments: [0, 2, 9])
    func aVersionThatNoServerHasIsRefused(_ number: Int) {
        #expect(ResumableHTTP(version: number) == nil)
    }

    @Test func aServerThatAsksForAnotherVersionGetsIt() throws {
        let asks = try answer(400, ["Upload-Draft-Interop-Version": "6"])
        var record = try created()
        record.offer = UploadOffer(longestAppend: 50)
        let offer = UploadOffer(longestAppend: 50, draft: 6)
        #expect(latest.reading(asks, to: .discover, of: record) == .offers(UploadOffer(draft: 6)))
        #expect(latest.reading(asks, to: .create, of: record) == .offers(offer))
        for unknown in ["9", "2", "a", "8"] {
            let answer = try answer(400, ["Upload-Draft-Interop-Version": unknown])
            #expect(latest.reading(answer, to: .create, of: record).code == .refused)
            #expect(latest.reading(answer, to: .discover, of: record) == .offers(UploadOffer()))
        }
        record.offer = offer
        for step in [UploadStep.create, .ask(after: nil), .append(UploadExample.part(0..<60)), .abort] {
            let request = try latest.request(for: step, of: record)
            #expect(request.fields[.uploadDraftInteropVersion] == "6")
        }
        #expect(latest.reading(asks, to: .create, of: record).code == .refused)
        let last = UploadStep.append(UploadExample.part(60..<100))
        #expect(latest.reading(try answer(200), to: last, of: record).isDone)
        // The server was updated in between.
        let later = try answer(400, ["Upload-Draft-Interop-Version": "8"])
        #expect(
            latest.reading(later, to: .create, of: record)
                == .offers(UploadOffer(longestAppend: 50, draft: 8))
        )
    }

    // MARK: Limits

    @Test func aServerSaysItsLimits() throws {
        let limits = ["Upload-Limit": "max-size=1000, max-append-size=50;x=1, min-append-size=5, other=\"a\""]
        let offer = UploadOffer(longest: 1000, longestAppend: 50, shortestAppend: 5)
        let record = try UploadExample.record()
        #expect(latest.reading(try answer(204, limits), to: .discover, of: record) == .offers(offer))
        #expect(latest.reading(try answer(405, limits), to: .discover, of: record) == .offers(UploadOffer()))
        #expect(latest.reading(try answer(200), to: .discover, of: record) == .offers(UploadOffer()))
        #expect(latest.reading(try answer(503), to: .discover, of: record).isTransient)
        let long = try answer(413, limits)
        #expect(latest.reading(long, to: .create, of: record) == .offers(offer))
        var short = record
        short.offer = offer
        #expect(latest.reading(long, to: .create, of: short).code == .refused)
        #expect(latest.reading(try answer(413), to: .create, of: record).code == .refused)
        #expect(try latest.request(for: .discover, of: record).method == .options)
    }

    @Test(arguments: [
        "max-size=\"a\", max-append-size=50", "max-append-size=-1", "max-append-size=0",
        "max-append-size=50.0",
        "max-append-size", "max-append-size=(50)", "max-append-size=50,", "\u{0}",
    ])
    func aLimitWithAMistakeIsNone(_ text: String) throws {
        let reading = latest.reading(
            try answer(204, ["Upload-Limit": text]),
            to: .discover,
            of: try UploadExample.record()
        )
        #expect(reading == .offers(UploadOffer()))
    }

    @Test func aServerThatSpeaksTheProtocolIsAskedForTheUploadFirst() throws {
        var record = try UploadExample.record()
        record.method = .post
        let patch = try answer(
            204,
            ["Accept-Patch": "a/b, application/partial-upload", "Upload-Limit": "min-size=1"]
        )
        let offer = UploadOffer(extensions: ["application/partial-upload"])
        #expect(latest.reading(patch, to: .discover, of: record) == .offers(offer))
        record.offer = offer
        let request = try latest.request(for: .create, of: record)
        #expect(
            request.body == .file(0..<0) && request.fields[.uploadComplete] == "?0" && request.isRepeatable
        )
        let begun = try answer(201, ["Location": "/u", "Upload-Complete": "?0"])
        #expect(latest.reading(begun, to: .create, of: record) == .created(try handle(), offset: 0))
        record.offer?.shortestAppend = 5
        #expect(try latest.request(for: .create, of: record).body == .file(0..<5))
        record.offer?.shortestAppend = 500
        let whole = try latest.request(for: .create, of: record)
        #expect(whole.body == .file(0..<100) && !whole.isRepeatable)
        record.method = .put
        #expect(try latest.request(for: .create, of: record).body == .file(0..<100))
    }

    @Test func aFileThatTheServerCannotTakeIsNotSent() throws {
        var record = try UploadExample.record(offer: UploadOffer(longest: 99))
        #expect(throws: TransferFailure.self) { try latest.request(for: .create, of: record) }
        record.offer = nil
        record.metadata = [HeaderField(name: "a", value: "b")]
        #expect(throws: TransferFailure.self) { try latest.request(for: .create, of: record) }
    }

    // MARK: Creating

    @Test func theFirstRequestIsAnOrdinaryUpload() throws {
        var record = try UploadExample.record()
        record.contentType = "text/plain"
        record.checksums = [
            Checksum(algorithm: .sha256, digest: [UInt8](repeating: 0, count: 32)),
            Checksum(redundancyCheck: 1, by: .crc32c),
        ]
        let put = try latest.request(for: .create, of: record)
        #expect(put.method == .put && put.url == record.url && put.isRepeatable && put.body == .file(0..<100))
        #expect(put.fields[.uploadComplete] == "?1" && put.fields[.uploadLength] == "100")
        #expect(put.fields[.contentType] == "text/plain" && put.fields[.contentDisposition] == nil)
        #expect(put.fields[.reprDigest] == "sha-256=:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=:")
        record.method = .post
        record.fileName = "ä \".txt"
        let post = try latest.request(for: .create, of: record)
        #expect(post.method == .post && !post.isRepeatable)
        #expect(post.fields[.contentDisposition] == "inline; filename*=UTF-8''%C3%A4%20%22.txt")
        record.method = .put
        record.fields = [HeaderField(name: "If-None-Match", value: "*")]
        #expect(try !latest.request(for: .create, of: record).isRepeatable)
    }

    @Test func aPlainServerTakesTheFile() throws {
        let record = try UploadExample.record()
        for status in [200, 201, 204] {
            #expect(latest.reading(try answer(status, ["Location": "/new"]), to: .create, of: record).isDone)
        }
        #expect(latest.reading(try answer(200, ["Upload-Complete": "?1"]), to: .create, of: record).isDone)
        #expect(latest.reading(try answer(405), to: .create, of: record).code == .refused)
        #expect(latest.reading(try answer(503), to: .create, of: record).isTransient)
    }

    @Test func anInterimAnswerSaysWhereTheUploadIs() throws {
        var record = try UploadExample.record()
        let limits = ["Location": "/u", "Upload-Limit": "max-age=60, max-append-size=10"]
        let limited = UploadHandle(
            url: try UploadExample.url("https://up.example/u"),
            expiry: UploadExample.now.advanced(by: .seconds(60)),
            longestAppend: 10
        )
        #expect(
            latest.reading(try answer(104, limits), to: .create, of: record) == .created(limited, offset: 0)
        )
        let further = try answer(104, ["Location": "/u", "Upload-Offset": "40"])
        #expect(latest.reading(further, to: .create, of: record) == .created(try handle(), offset: 40))
        record.handle = try handle()
        record.offset = 40
        let moved = try answer(104, ["Upload-Offset": "70"])
        #expect(latest.reading(moved, to: .create, of: record) == .reached(70, expiry: nil))
        #expect(latest.reading(try answer(104), to: .create, of: record) == .reached(40, expiry: nil))
        let ahead = try answer(104, ["Upload-Offset": "101"])
        #expect(latest.reading(ahead, to: .create, of: record).code == .badResponse)
    }

    @Test func aServerThatStoppedEarlyIsResumed() throws {
        let record = try UploadExample.record()
        let half = try answer(201, ["Location": "/u", "Upload-Complete": "?0", "Upload-Offset": "40"])
        #expect(latest.reading(half, to: .create, of: record) == .created(try handle(), offset: 40))
        let silent = try answer(201, ["Location": "/u", "Upload-Complete": "?0"])
        #expect(latest.reading(silent, to: .create, of: record) == .created(try handle(), offset: 0))
        let nowhere = try answer(201, ["Upload-Complete": "?0"])
        #expect(latest.reading(nowhere, to: .create, of: record).code == .badResponse)
        let plain = try answer(201, ["Location": "http://up.example/u", "Upload-Complete": "?0"])
        #expect(latest.reading(plain, to: .create, of: record).code == .redirectRefused)
        let other = try answer(201, ["Location": "/u", "Upload-Complete": "?0", "Upload-Length": "99"])
        #expect(latest.reading(other, to: .create, of: record).code == .badResponse)
    }

    @Test func aServerWithShortRequestsGetsTheFileInParts() throws {
        let record = try UploadExample.record(offer: UploadOffer(longestAppend: 40))
        let request = try latest.request(for: .create, of: record)
        #expect(request.body == .file(0..<40) && request.fields[.uploadComplete] == "?0")
        let taken = try answer(201, ["Location": "/u", "Upload-Complete": "?0"])
        #expect(latest.reading(taken, to: .create, of: record) == .created(try handle(), offset: 40))
        // Otherwise the first part of the file would count as the file.
        for fields in [[:], ["Upload-Complete": "?1"], ["Location": "/u", "Upload-Complete": "?1"]] {
            #expect(latest.reading(try answer(201, fields), to: .create, of: record).code == .badResponse)
        }
    }

    @Test func aFileThatWasRefusedIsNotSentAgain() throws {
        let record = try UploadExample.record()
        let refused = latest.reading(try answer(500, ["Upload-Complete": "?1"]), to: .create, of: record)
        #expect(refused.code == .serverError && !refused.isTransient)
    }

    // MARK: Asking

    @Test func theServerSaysHowFarItIs() throws {
        func reading(_ fields: [String: String]) throws -> UploadReading {
            latest.reading(try answer(204, fields), to: .ask(after: nil), of: try created())
        }
        #expect(try reading(["Upload-Offset": "40", "Upload-Complete": "?0"]) == .reached(40, expiry: nil))
        #expect(try reading(["Upload-Offset": "100", "Upload-Complete": "?0"]) == .reached(100, expiry: nil))
        #expect(try reading(["Upload-Offset": "100"]) == .reached(100, expiry: nil))
        #expect(try reading(["Upload-Offset": "100", "Upload-Complete": "?1"]).isDone)
        #expect(try reading(["Upload-Complete": "?1"]).isDone)
        let bad: [[String: String]] = [
            [:], ["Upload-Offset": "-1"], ["Upload-Offset": "1.5"], ["Upload-Offset": "\"4\""],
            ["Upload-Offset": "101"], ["Upload-Offset": "40", "Upload-Complete": "?1"],
            ["Upload-Offset": "40", "Upload-Length": "99"],
        ]
        for fields in bad { #expect(try reading(fields).code == .badResponse, "\(fields)") }
        for status in [403, 404, 410] {
            #expect(latest.reading(try answer(status), to: .ask(after: nil), of: try created()) == .gone)
        }
    }

    // MARK: Appending

    @Test func aPartIsCutToWhatTheServerTakes() throws {
        let record = try created(longestAppend: 40)
        let request = try latest.request(for: .append(UploadExample.part(20..<100)), of: record)
        #expect(request.body == .file(20..<60) && request.fields[.uploadComplete] == "?0")
        let taken = latest.reading(try answer(204), to: .append(UploadExample.part(20..<100)), of: record)
        #expect(taken == .reached(60, expiry: nil))
        let last = try latest.request(for: .append(UploadExample.part(60..<100)), of: record)
        #expect(last.body == .file(60..<100) && last.fields[.uploadComplete] == "?1")
    }

    private func appended(
        _ answer: UploadAnswer,
        _ range: Range<Int64> = 20..<60,
        _ draft: ResumableHTTP? = nil
    ) throws -> UploadReading {
        (draft ?? latest).reading(answer, to: .append(UploadExample.part(range)), of: try created())
    }

    @Test func theServerSaysWhatItTook() throws {
        #expect(try appended(answer(204)) == .reached(60, expiry: nil))
        #expect(try appended(answer(204, ["Upload-Offset": "30"])) == .reached(30, expiry: nil))
        #expect(try appended(answer(204, ["Upload-Offset": "19"])) == .misplaced(19))
        #expect(try appended(answer(204, ["Upload-Offset": "61"])).code == .badResponse)
        #expect(try appended(answer(204, ["Upload-Complete": "?1"])).code == .badResponse)
        #expect(try appended(answer(104, ["Upload-Offset": "30"])) == .reached(30, expiry: nil))
        #expect(try appended(answer(104, ["Upload-Offset": "61"])).code == .badResponse)
    }

    @Test func onlyAServerThatSaysSoIsDone() throws {
        let last: Range<Int64> = 60..<100
        #expect(try appended(answer(200, ["Upload-Complete": "?1"]), last).isDone)
        #expect(try appended(answer(200), last) == .misplaced(nil))
        #expect(try appended(answer(200), last, ResumableHTTP(version: 6)).isDone)
        let short = try answer(200, ["Upload-Complete": "?0", "Upload-Offset": "70"])
        #expect(try appended(short, last) == .reached(70, expiry: nil))
        #expect(try appended(answer(200, ["Upload-Complete": "?0"]), last) == .misplaced(nil))
        let refused = try appended(answer(500, ["Upload-Complete": "?1"]), last)
        #expect(refused.code == .serverError && !refused.isTransient)
        #expect(try appended(answer(404, ["Upload-Complete": "?1"]), last).code == .notFound)
    }

    @Test func aPartThatWasNotTakenSaysWhy() throws {
        let problem =
            "{\"type\":\"https://iana.org/assignments/http-problem-types#%\",\"expected-offset\":33}"
        let mismatch = problem.replacing("%", with: "mismatching-upload-offset")
        #expect(try appended(answer(409, ["Upload-Offset": "30"], mismatch)) == .misplaced(30))
        #expect(try appended(answer(409, [:], mismatch)) == .misplaced(33))
        #expect(try appended(answer(409, [:], mismatch.replacing("33", with: "101"))) == .misplaced(nil))
        #expect(try appended(answer(409, [:], "{")) == .misplaced(nil))
        #expect(try appended(answer(409, ["Upload-Offset": "101"])).code == .badResponse)
        let over = try answer(400, [:], problem.replacing("%", with: "completed-upload"))
        #expect(try appended(over) == .misplaced(nil))
        #expect(try appended(answer(400)).code == .refused)
        #expect(try appended(answer(404)) == .gone)
        #expect(try appended(answer(410)) == .gone)
        #expect(try appended(answer(503)).isTransient)
    }

    // MARK: Ending

    @Test func aServerThatHasAllBytesIsToldSo() throws {
        let request = try latest.request(for: .complete, of: try created())
        #expect(request.body == .file(100..<100) && request.fields[.uploadComplete] == "?1")
        #expect(request.fields[.uploadOffset] == "100")
        func reading(_ answer: UploadAnswer) throws -> UploadReading {
            latest.reading(answer, to: .complete, of: try created())
        }
        #expect(try reading(answer(200, ["Upload-Complete": "?1"])).isDone)
        #expect(try reading(answer(400, [:], "{\"type\":\"x#completed-upload\"}")).isDone)
        #expect(try reading(answer(400)).code == .refused)
    }

    @Test func anUploadIsRemoved() throws {
        #expect(try latest.request(for: .abort, of: try created()).method == .delete)
        for status in [204, 404, 410] {
            #expect(latest.reading(try answer(status), to: .abort, of: try created()) == .removed)
        }
        #expect(latest.reading(try answer(405), to: .abort, of: try created()).code == .refused)
        #expect(throws: TransferFailure.self) { try latest.request(for: .sendWhole, of: try created()) }
    }
}

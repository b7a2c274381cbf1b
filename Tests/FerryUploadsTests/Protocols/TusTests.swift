import FerryCore
import HTTPTypes
import Testing

@testable import FerryUploads

/// What tus sends, and what it makes of the answers.
struct TusTests {
    private let tus = Tus()
    private let resumable: HTTPFields = [.tusResumable: "1.0.0"]

    private func fields(_ more: [HTTPField.Name: String]) -> HTTPFields {
        more.reduce(into: resumable) { $0[$1.key] = $1.value }
    }

    private func offered(_ extensions: String...) -> UploadOffer { UploadOffer(extensions: Set(extensions)) }

    // MARK: Discovering

    @Test func aServerSaysWhatItCanDo() throws {
        let answer = try UploadExample.answer(
            204,
            [
                .tusVersion: "0.2.2, 1.0.0", .tusExtension: "creation,Checksum , termination",
                .tusMaxSize: "1000", .tusChecksumAlgorithm: "md5,sha1,crc32,whirlpool",
            ]
        )
        let expected = UploadOffer(
            extensions: ["creation", "checksum", "termination"],
            longest: 1000,
            checksums: [.md5, .sha1, .crc32]
        )
        #expect(tus.reading(answer, to: .discover, of: try UploadExample.record()) == .offers(expected))
        let request = try tus.request(for: .discover, of: try UploadExample.record())
        #expect(request.method == .options && request.isRepeatable)
    }

    @Test(arguments: [(200, ""), (204, "0.2.2"), (404, ""), (405, ""), (501, ""), (412, "2.0.0")])
    func anotherServerDoesNotSpeakIt(_ status: Int, _ versions: String) throws {
        let answer = try UploadExample.answer(status, versions.isEmpty ? [:] : [.tusVersion: versions])
        #expect(tus.reading(answer, to: .discover, of: try UploadExample.record()) == .notSpoken)
    }

    @Test func theChecksumIsOneThatTheServerOffers() throws {
        var record = try UploadExample.record()
        #expect(tus.partChecksum(of: record) == nil)
        record.offer = UploadOffer(extensions: ["checksum"], checksums: [.crc32, .sha256])
        #expect(tus.partChecksum(of: record) == .sha256)
        record.offer = UploadOffer(extensions: [], checksums: [.sha1])
        #expect(tus.partChecksum(of: record) == nil)
        record.offer = UploadOffer(extensions: ["checksum"], checksums: [.crc32])
        #expect(tus.partChecksum(of: record) == nil)
    }

    // MARK: Creating

    @Test func theServerIsToldTheLengthAndTheNames() throws {
        var record = try UploadExample.record()
        record.fileName = "b ä.txt"
        record.contentType = "text/plain"
        record.metadata = [HeaderField(name: "flag", value: ""), HeaderField(name: "filetype", value: "x/y")]
        record.fields = [HeaderField(name: "X-Own", value: "1")]
        let request = try tus.request(for: .create, of: record)
        #expect(request.method == .post && request.url == record.url && !request.isRepeatable)
        #expect(request.body == .bytes([]))
        #expect(request.fields[.tusResumable] == "1.0.0")
        #expect(request.fields[.uploadLength] == "100")
        #expect(request.fields[.uploadMetadata] == "filename YiDDpC50eHQ=,filetype eC95,flag")
        #expect(request.fields[HTTPField.Name("X-Own")!] == "1")
        #expect(request.fields[.contentType] == nil)
    }

    @Test(arguments: ["", "a b", "a,b", "ä"])
    func aNameThatWouldBeReadAsTwoIsRefused(_ name: String) throws {
        var record = try UploadExample.record()
        record.metadata = [HeaderField(name: name, value: "v")]
        #expect(throws: TransferFailure.self) { try tus.request(for: .create, of: record) }
    }

    @Test func noByteGoesAlongWithTheCreation() throws {
        let record = try UploadExample.record(offer: offered("creation", "creation-with-upload"))
        #expect(try tus.request(for: .create, of: record).body == .bytes([]))
    }

    @Test func whatTheServerCannotTakeIsNotSent() throws {
        let record = try UploadExample.record(offer: UploadOffer(extensions: ["creation"], longest: 99))
        let long = #expect(throws: TransferFailure.self) { try tus.request(for: .create, of: record) }
        #expect(long?.message == "up.example takes files of up to 99 B; this one has 100 B.")
        let closed = try UploadExample.record(offer: offered("expiration"))
        #expect(throws: TransferFailure.self) { try tus.request(for: .create, of: closed) }
    }

    @Test(arguments: [
        ("abc", "https://up.example/files/abc"), ("/abc?k=1#f", "https://up.example/abc?k=1"),
        ("https://other.example/u", "https://other.example/u"),
        ("https://u:p@other.example/u", "https://other.example/u"),
    ])
    func anUploadIsWhereTheServerSays(_ location: String, _ expected: String) throws {
        let answer = try UploadExample.answer(
            201,
            fields([.location: location, .uploadExpires: "Wed, 25 Jun 2025 16:00:00 GMT"])
        )
        let handle = UploadHandle(
            url: try UploadExample.url(expected),
            expiry: Instant(seconds: 1_750_867_200)
        )
        #expect(
            tus.reading(answer, to: .create, of: try UploadExample.record()) == .created(handle, offset: 0)
        )
    }

    @Test func anUploadIsNotFollowedOutOfEncryption() throws {
        let answer = try UploadExample.answer(201, fields([.location: "http://up.example/files/abc"]))
        let reading = tus.reading(answer, to: .create, of: try UploadExample.record())
        #expect(reading.code == .redirectRefused && !reading.isTransient)
        let plain = try UploadExample.answer(
            201,
            fields([.location: "http://b.example/abc"]),
            from: "http://up.example/"
        )
        let handle = UploadHandle(url: try UploadExample.url("http://b.example/abc"))
        #expect(
            tus.reading(plain, to: .create, of: try UploadExample.record()) == .created(handle, offset: 0)
        )
    }

    @Test func aCreationThatContradictsItselfFails() throws {
        let record = try UploadExample.record()
        let contradictions: [[HTTPField.Name: String]] = [
            [:], [.location: "ftp://up.example/x"], [.location: "http://"],
            [.location: "x", .uploadOffset: "1"], [.location: "x", .uploadOffset: "101"],
            [.location: "x", .uploadLength: "99"], [.location: "x", .uploadOffset: "-1"],
            [.location: "x", .uploadOffset: "99999999999999999999"],
        ]
        for more in contradictions {
            let reading = tus.reading(try UploadExample.answer(201, fields(more)), to: .create, of: record)
            #expect(reading.code == .badResponse && !reading.isTransient, "\(more)")
        }
        var twice = fields([.location: "x"])
        twice.append(HTTPField(name: .location, value: "y"))
        #expect(
            tus.reading(try UploadExample.answer(201, twice), to: .create, of: record).code == .badResponse
        )
    }

    @Test func anEmptyFileIsThereWhenItIsCreated() throws {
        let answer = try UploadExample.answer(201, fields([.location: "x"]))
        #expect(tus.reading(answer, to: .create, of: try UploadExample.record(0)).isDone)
    }

    @Test(arguments: [(201, false), (200, false), (405, true), (501, true)])
    func aServerThatIsNotOneOfTusDoesNotSpeakIt(_ status: Int, _ isMarked: Bool) throws {
        let answer = try UploadExample.answer(status, isMarked ? resumable : [.location: "/new"])
        #expect(tus.reading(answer, to: .create, of: try UploadExample.record()) == .notSpoken)
    }

    @Test(arguments: [
        (401, TransferFailure.Code.notAuthorised, false), (403, .forbidden, false), (404, .notFound, false),
        (413, .refused, false), (412, .refused, false), (423, .refused, true), (429, .serverOverloaded, true),
        (500, .serverError, true), (503, .serverOverloaded, true), (400, .refused, false),
    ])
    func aStatusSaysWhyACreationFailed(
        _ status: Int,
        _ code: TransferFailure.Code,
        _ isTransient: Bool
    ) throws {
        let reading = tus.reading(
            try UploadExample.answer(status, resumable),
            to: .create,
            of: try UploadExample.record()
        )
        #expect(reading.code == code && reading.isTransient == isTransient)
    }

    @Test func anotherVersionIsNamed() throws {
        let answer = try UploadExample.answer(412, [.tusVersion: "0.2.2, 2.0.0, <secret>"])
        let problem = tus.reading(answer, to: .create, of: try UploadExample.record()).problem
        #expect(
            problem?.failure.message
                == "up.example does not speak version 1.0.0 of tus (412); it speaks 0.2.2, 2.0.0."
        )
    }

    // MARK: Asking

    private func created(_ length: Int64 = 100) throws -> UploadRecord {
        try UploadExample.record(length, handle: "https://up.example/files/x")
    }

    @Test func theServerSaysHowFarItIs() throws {
        let record = try created()
        let request = try tus.request(for: .ask(after: nil), of: record)
        #expect(request.method == .head && request.url == record.handle?.url)
        #expect(request.fields == resumable)
        func reading(_ offset: String, _ length: String? = "100") throws -> UploadReading {
            var fields = fields([.uploadOffset: offset])
            fields[.uploadLength] = length
            return tus.reading(try UploadExample.answer(200, fields), to: .ask(after: nil), of: record)
        }
        #expect(try reading("40") == .reached(40, expiry: nil))
        #expect(try reading("0", nil) == .reached(0, expiry: nil))
        #expect(try reading("100").isDone)
        #expect(try reading("101").code == .badResponse)
        #expect(try reading("40", "101").code == .badResponse)
        #expect(try reading("x").code == .badResponse)
        let silent = try UploadExample.answer(200, resumable)
        #expect(tus.reading(silent, to: .ask(after: nil), of: record).code == .badResponse)
    }

    @Test(arguments: [403, 404, 410])
    func anUploadThatIsNotKnownIsGone(_ status: Int) throws {
        let answer = try UploadExample.answer(status, resumable)
        #expect(tus.reading(answer, to: .ask(after: nil), of: try created()) == .gone)
    }

    // MARK: Appending

    @Test func aPartBeginsWhereTheServerIs() throws {
        var part = UploadExample.part(40..<80)
        part.checksum = Checksum(algorithm: .sha1, digest: [UInt8](repeating: 0xAB, count: 20))
        let request = try tus.request(for: .append(part), of: try created())
        #expect(request.method == .patch && !request.isRepeatable && request.body == .file(40..<80))
        #expect(request.fields[.uploadOffset] == "40")
        #expect(request.fields[.contentType] == "application/offset+octet-stream")
        #expect(request.fields[.uploadChecksum] == "sha1 q6urq6urq6urq6urq6urq6urq6s=")
    }

    @Test func theServerSaysWhatItTook() throws {
        func reading(_ offset: String, _ range: Range<Int64> = 40..<80) throws -> UploadReading {
            let answer = try UploadExample.answer(
                204,
                fields([.uploadOffset: offset, .uploadExpires: "Wed, 25 Jun 2025 16:00:00 GMT"])
            )
            return tus.reading(answer, to: .append(UploadExample.part(range)), of: try created())
        }
        let expiry = Instant(seconds: 1_750_867_200)
        #expect(try reading("80") == .reached(80, expiry: expiry))
        #expect(try reading("41") == .reached(41, expiry: expiry))
        #expect(try reading("39") == .misplaced(39))
        #expect(try reading("81").code == .badResponse)
        #expect(try reading("100", 80..<100).isDone)
        #expect(try reading("").code == .badResponse)
    }

    @Test func aPartThatWasNotTakenSaysWhy() throws {
        func reading(_ status: Int) throws -> UploadReading {
            let part = UploadExample.part(40..<80)
            return tus.reading(
                try UploadExample.answer(status, resumable),
                to: .append(part),
                of: try created()
            )
        }
        #expect(try reading(204).code == .badResponse)
        #expect(try reading(404) == .gone)
        #expect(try reading(410) == .gone)
        #expect(try reading(409) == .misplaced(nil))
        #expect(try reading(460) == .damaged)
        #expect(try reading(423).isTransient)
        #expect(try reading(403).code == .forbidden)
        #expect(try reading(415).code == .refused)
    }

    // MARK: Ending

    @Test func anUploadIsRemoved() throws {
        var record = try created()
        #expect(try tus.request(for: .abort, of: record).method == .delete)
        for status in [204, 200, 404, 410] {
            #expect(tus.reading(try UploadExample.answer(status), to: .abort, of: record) == .removed)
        }
        #expect(tus.reading(try UploadExample.answer(423), to: .abort, of: record).isTransient)
        record.offer = offered("creation")
        #expect(throws: TransferFailure.self) { try tus.request(for: .abort, of: record) }
    }

    @Test func aStepThatTusDoesNotHaveIsADefect() throws {
        for step in [UploadStep.sendWhole, .complete] {
            let failure = #expect(throws: TransferFailure.self) {
                try tus.request(for: step, of: try created())
            }
            #expect(failure?.code == .internalFault)
            #expect(
                tus.reading(try UploadExample.answer(200), to: step, of: try created()).code == .internalFault
            )
        }
        let unnamed = try UploadExample.record()
        let failure = #expect(throws: TransferFailure.self) {
            try tus.request(for: .ask(after: nil), of: unnamed)
        }
        #expect(failure?.code == .internalFault)
    }
}

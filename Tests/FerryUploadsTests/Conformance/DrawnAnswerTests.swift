import FerryCore
import FerryTesting
import HTTPTypes
import Testing

@testable import FerryUploads

/// Whatever a server answers, a protocol reads it without a trap, and believes nothing that cannot be.
struct DrawnAnswerTests {
    /// Draws answers from a seed.
    private struct Drawer {
        private var random: SeededRandom

        init(_ seed: UInt64) { random = SeededRandom(seed: seed) }

        mutating func next(below bound: Int) -> Int { Int(random.next() % UInt64(bound)) }

        mutating func element<Element>(of list: [Element]) -> Element { list[next(below: list.count)] }

        /// The bytes, with some of them changed, removed or repeated.
        mutating func damaged(_ bytes: [UInt8]) -> [UInt8] {
            var bytes = bytes
            for _ in 0..<next(below: 4) where !bytes.isEmpty {
                let place = next(below: bytes.count)
                switch next(below: 4) {
                case 0: bytes[place] = UInt8(next(below: 256))
                case 1: bytes.removeSubrange(place..<min(bytes.count, place + 1 + next(below: 20)))
                case 2: bytes.insert(contentsOf: bytes[place..<min(bytes.count, place + 30)], at: place)
                default: bytes.insert(UInt8(next(below: 128)), at: place)
                }
            }
            return bytes
        }
    }

    private static let statuses = [
        100, 104, 200, 200, 200, 201, 201, 204, 206, 301, 308, 308, 400, 403, 404, 405, 409, 409, 410, 412,
        413, 423, 460,
        499, 500, 503, 599, 999, 0, -1,
    ]

    private static let values: [(String, [String])] = [
        (
            "Location",
            ["/u", "https://other.example/u", "http://up.example/u", "ftp://x", "//", "u?x=1#f", "s3://b/k"]
        ),
        ("Upload-Offset", numbers), ("Upload-Length", numbers), ("Content-Length", numbers),
        ("x-goog-stored-content-length", numbers), ("Tus-Max-Size", numbers),
        ("Upload-Complete", ["?1", "?0", "1", "?2"]), ("Upload-Incomplete", ["?1", "?0"]),
        (
            "Upload-Limit",
            ["max-size=5", "max-append-size=1, max-age=9223372036854775807", "max-age=999999999999999"]
        ),
        ("Upload-Expires", ["Wed, 25 Jun 2025 16:00:00 GMT", "soon"]), ("Tus-Resumable", ["1.0.0", ""]),
        ("Tus-Version", ["1.0.0", "0.2.2,1.0.0"]), ("Tus-Extension", ["creation,checksum"]),
        ("Range", ["bytes=0-99", "bytes=0-9223372036854775807", "bytes=0-", "bytes=5-9"]),
        ("ETag", ["\"0cc175b9c0f1b6a831c399e269772661\"", "\"\"", ""]),
        ("Retry-After", ["5", "-1", "99999999999999999999"]),
        ("x-amz-checksum-crc32c", ["5kkizA==", "5kkizA", "!"]), ("x-oss-hash-crc64ecma", numbers),
        ("x-goog-hash", ["crc32c=5kkizA==,md5=x"]), ("x-goog-generation", ["7"]),
    ]

    private static let numbers = [
        "0", "1", "50", "100", "101", "9223372036854775807", "9223372036854775808", "-1", "1 0", "",
    ]

    private static let bodies = [
        "", "{\"type\":\"x#completed-upload\",\"expected-offset\":50}",
        "{\"size\":\"100\",\"crc32c\":\"5kkizA==\",\"etag\":1}",
        "<Error><Code>NoSuchUpload</Code><RequestId>1</RequestId></Error>",
        "<Error><Code>SlowDown</Code></Error>",
        "<InitiateMultipartUploadResult xmlns=\"a\"><UploadId>U</UploadId></InitiateMultipartUploadResult>",
        "<CompleteMultipartUploadResult><ETag>&quot;a-2&quot;</ETag></CompleteMultipartUploadResult>",
        "<ListPartsResult><UploadId>U</UploadId><IsTruncated>true</IsTruncated><NextPartNumberMarker>2</NextPartNumberMarker>"
            + "<Part><PartNumber>1</PartNumber><Size>9223372036854775807</Size><ETag>a</ETag></Part><Part><PartNumber>2"
            + "</PartNumber><Size>9223372036854775807</Size><ETag>b</ETag><HashCrc64ecma>1</HashCrc64ecma></Part>"
            + "</ListPartsResult>",
    ]

    private static func steps(_ part: UploadPart, after marker: String = "1") -> [UploadStep] {
        [
            .discover, .sendWhole, .create, .ask(after: nil), .ask(after: marker), .append(part), .complete,
            .look,
            .abort,
        ]
    }

    private func draw(_ drawer: inout Drawer) throws -> UploadAnswer {
        var fields: HTTPFields = [:]
        for _ in 0..<drawer.next(below: 6) {
            let (name, values) = drawer.element(of: Self.values)
            var value = Array(drawer.element(of: values).utf8)
            if drawer.next(below: 4) == 0 { value = drawer.damaged(value) }
            fields.append(
                HTTPField(
                    name: try #require(HTTPField.Name(name)),
                    value: String(decoding: value, as: UTF8.self)
                )
            )
        }
        var answer = try UploadExample.answer(drawer.element(of: Self.statuses), fields)
        answer.body = drawer.damaged(Array(drawer.element(of: Self.bodies).utf8))
        return answer
    }

    private func record(_ drawer: inout Drawer) throws -> UploadRecord {
        let length = Int64(drawer.element(of: [0, 1, 100]))
        var record = try UploadExample.record(length, handle: "https://up.example/u", name: "U")
        if drawer.next(below: 3) == 0 { record.handle = nil }
        record.parts = [
            SentPart(number: 1, length: .max, tag: "a"), SentPart(number: 2, length: .max, tag: "b"),
        ]
        record.offer = UploadOffer(
            extensions: ["checksum"],
            longestAppend: drawer.element(of: [nil, 1, .max])
        )
        return record
    }

    private static let protocols = InputProperty.protocols.map(\.wire)

    @Test(arguments: UInt64(1)...8)
    func nothingIsBelievedThatCannotBe(_ seed: UInt64) throws {
        var drawer = Drawer(seed)
        for round in 0..<3000 {
            let uploads = drawer.element(of: Self.protocols)
            let record = try record(&drawer)
            let answer = try draw(&drawer)
            let part = UploadExample.part(0..<(record.length + 1) / 2, of: record.length)
            let step = drawer.element(of: Self.steps(part))
            let reading = uploads.reading(answer, to: step, of: record)
            #expect(throws: Never.self, "seed \(seed), round \(round)") {
                try InputProperty.requirePossible(reading, of: answer, to: step, of: record)
            }
        }
    }

    @Test func everyRequestIsBuiltOrRefused() throws {
        var drawer = Drawer(99)
        for _ in 0..<3000 {
            let uploads = drawer.element(of: Self.protocols)
            var record = try record(&drawer)
            record.fileName = String(decoding: drawer.damaged(Array("na\"me ä.txt".utf8)), as: UTF8.self)
            let odd = String(decoding: drawer.damaged(Array("x-amz-meta".utf8)), as: UTF8.self)
            record.metadata = drawer.next(below: 2) == 0 ? [] : [HeaderField(name: odd, value: odd)]
            record.fields = drawer.next(below: 2) == 0 ? [] : [HeaderField(name: odd, value: odd)]
            record.handle?.name = odd
            let part = UploadExample.part(0..<(record.length + 1) / 2, of: record.length)
            let step = drawer.element(of: Self.steps(part, after: odd))
            do throws(TransferFailure) {
                let request = try uploads.request(for: step, of: record)
                #expect(request.url.host == "up.example")
                if case .file(let range) = request.body { #expect(range.upperBound <= record.length) }
                #expect(request.fields.allSatisfy { HTTPField.isValidValue($0.value) })
            } catch {
                #expect([.refused, .internalFault].contains(error.code))
            }
        }
    }
}

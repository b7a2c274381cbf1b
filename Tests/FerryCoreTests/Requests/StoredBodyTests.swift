import FerryTesting
import Foundation
import Testing

@testable import FerryCore

@Suite struct StoredBodyTests {
    private func file(_ length: Int64, modified: Int64? = 5, inode: UInt64 = 7) -> PinnedFile {
        let identity = FileIdentity(device: 1, inode: inode, birth: 9)
        return PinnedFile(
            path: "/data/\(inode)",
            FileSurvey.Entry(identity: identity, length: length, kind: .file, modified: modified)
        )
    }

    @Test func bytesAndFilesKeepTheirOrder() throws {
        var body = StoredBody()
        #expect(body.isEmpty && body.parts.isEmpty)
        body.append([1, 2])
        body.append([3])
        #expect(body.parts.isEmpty && body.bytes == [1, 2, 3])
        body.append(file(10))
        body.append([])
        body.append(file(20, inode: 8))
        body.append([4])
        #expect(
            body.parts == [.bytes(count: 3), .file(file(10)), .file(file(20, inode: 8)), .bytes(count: 1)]
        )
        #expect(body.length == 34 && body.files.map(\.length) == [10, 20])
        #expect(StoredBody(bytes: body.bytes, parts: body.parts) == body)
    }

    @Test("parts that do not fit the bytes are refused")
    func wrongParts() {
        #expect(StoredBody(bytes: [1], parts: [.bytes(count: 2)]) == nil)
        #expect(StoredBody(bytes: [1, 2], parts: [.bytes(count: 1)]) == nil)
        #expect(StoredBody(bytes: [1], parts: [.bytes(count: -1), .bytes(count: 2)]) == nil)
        #expect(StoredBody(bytes: [1], parts: [.file(file(1))]) == nil)
        #expect(StoredBody(bytes: [], parts: [.file(file(1))]) == StoredBody(file(1)))
    }

    @Test func isCodedWhole() throws {
        var body = StoredBody([0, 255])
        body.append(file(3))
        for body in [StoredBody(), StoredBody([1]), StoredBody(file(1, modified: nil)), body] {
            let data = try JSONEncoder().encode(body)
            #expect(try JSONDecoder().decode(StoredBody.self, from: data) == body)
        }
    }

    @Test(
        "stored parts that do not fit, and negative lengths, are refused",
        arguments: [
            #"{"bytes":"AA==","parts":[{"bytes":2}]}"#, #"{"bytes":"A"}"#,
            #"{"parts":[{"file":{"path":"/a","length":-1,"device":1,"inode":1}}]}"#,
        ]
    )
    func damaged(_ text: String) {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(StoredBody.self, from: Data(text.utf8))
        }
    }

    @Test("a pinned file is the same only with the same identity, length and time of change")
    func matching() {
        let pinned = file(10)
        func entry(
            _ length: Int64 = 10,
            inode: UInt64 = 7,
            device: UInt64 = 1,
            birth: Int64? = 9,
            modified: Int64? = 5,
            kind: FileSurvey.Kind = .file
        ) -> FileSurvey.Entry {
            let identity = FileIdentity(device: device, inode: inode, birth: birth)
            return FileSurvey.Entry(identity: identity, length: length, kind: kind, modified: modified)
        }
        #expect(pinned.matches(entry()))
        // Another device number may be the same disk after a boot.
        #expect(pinned.matches(entry(device: 2)))
        for other in [
            entry(11), entry(inode: 8), entry(birth: 10), entry(modified: 6), entry(modified: nil),
            entry(kind: .directory),
        ] {
            #expect(!pinned.matches(other))
        }
    }

    @Test("a completed request keeps the names of its files, and no bytes")
    func secretsAreDropped() throws {
        var body = StoredBody("s3cret".utf8)
        body.append(file(3))
        var request = try RequestSpecification(
            method: .post,
            url: HTTPURL(parsing: "https://a.example/"),
            body: body
        )
        request.dropSecrets()
        #expect(request.body == StoredBody(file(3)))
    }
}

import FerryCore
import FerryTesting
import Testing

@Suite("Names of objects as URLs")
struct HTTPURLObjectTests {
    @Test(
        "a key is what was typed, in memory and as it is stored",
        arguments: [
            "key", "a b", "a+b", "a%20b", "100%", "q?x=1&y", "f#g", "é/日本", "a//b", "/lead", "end/", "end ",
            "..", "../x",
            "./y", "a/../b", "~!*'();:@&=$,[]", "{\"j\": 1}", "\\back", "a;v=1",
            "two\nlines\r", "\ttab\t", " ", "\u{7F}\u{1}", "e\u{301}", String(repeating: "日", count: 341),
        ]
    )
    func keysSurvive(key: String) throws {
        let url = try HTTPURL(parsing: "s3://my-bucket/\(key)")
        let name = try #require(url.objectName)
        #expect(name.store == .s3 && name.bucket == "my-bucket")
        #expect(Array(name.key.utf8) == Array(key.utf8))
        let stored = try HTTPURL(parsing: url.absoluteString)
        #expect(stored == url && stored.objectName == name)
        if key.utf8.allSatisfy({ $0 > 0x1F && $0 != 0x7F }) {
            #expect(url.redacted == "s3://my-bucket/\(key)")
        }
        #expect(url.redacted.utf8.allSatisfy { $0 > 0x1F && $0 != 0x7F })
    }

    @Test("any key of any characters is read as it was written", arguments: 0..<200)
    func drawnKeys(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let alphabet = Array("ab/.%?#+ &=\t\n\r~é日\u{301}\u{200B}:@\"\\")
        for _ in 0..<50 {
            let length = Int.random(in: 1...24, using: &random)
            let key = String((0..<length).map { _ in alphabet.randomElement(using: &random) ?? "a" })
            let name = try ObjectName(parsing: "gs://Old_Bucket.x/\(key)")
            let url = HTTPURL(name)
            #expect(url.objectName == name && Array(name.key.utf8) == Array(key.utf8), "seed \(seed)")
            #expect(try HTTPURL(parsing: url.absoluteString) == url, "seed \(seed)")
        }
    }

    @Test("characters without a shape are escaped where a name is shown")
    func shown() throws {
        let url = try HTTPURL(parsing: "oss://bucket/a\u{202E}gpj.exe")
        #expect(url.redacted == "oss://bucket/a%E2%80%AEgpj.exe")
        #expect(url.objectName?.key == "a\u{202E}gpj.exe")
    }

    @Test("no reference leads to an object, wherever it stands")
    func noReferenceLeadsToAnObject() throws {
        let page = try HTTPURL(parsing: "https://example.org/a")
        let object = try HTTPURL(parsing: "s3://bucket/a")
        #expect(throws: HTTPURL.ParseError.unsupportedScheme("s3")) { try page.resolving("s3://bucket/key") }
        #expect(throws: HTTPURL.ParseError.unsupportedScheme("gs")) { try page.resolving("gs://bucket/key") }
        #expect(throws: HTTPURL.ParseError.unsupportedScheme("s3")) { try object.resolving("/other") }
        #expect(throws: HTTPURL.ParseError.unsupportedScheme("s3")) { try object.resolving("//other/x") }
        #expect(try object.resolving("https://example.org/b").host == "example.org")
    }

    @Test("the last part of the key names the file")
    func fileName() throws {
        #expect(try HTTPURL(parsing: "s3://b/dir/a;v=1?x").lastPathSegment == "a;v=1?x")
        #expect(try HTTPURL(parsing: "s3://b/dir/").lastPathSegment == "dir")
    }

    @Test(
        "what is no name of an object is refused with the reason",
        arguments: [
            ("s3://", ObjectName.ParseError.missingBucket), ("s3://bucket", .missingKey),
            ("gs://b_\u{e9}/x", .invalidBucket),
            ("oss://bucket/", .missingKey), ("s3://bucket/a\0b", .invalidKey),
            ("s3://user@bucket/a", .invalidBucket), ("s3://bucket:80/a", .invalidBucket),
        ]
    )
    func refused(text: String, reason: ObjectName.ParseError) {
        #expect(throws: HTTPURL.ParseError.invalidName(reason)) { try HTTPURL(parsing: text) }
    }
}

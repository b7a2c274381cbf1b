import FerryCore
import Testing

@Suite("Names of objects as URLs")
struct HTTPURLObjectTests {
    @Test(
        "a key is what was typed, in memory and as it is stored",
        arguments: [
            "key", "a b", "a+b", "a%20b", "100%", "q?x=1&y", "f#g", "é/日本", "a//b", "/lead", "end/", "end ",
            "..", "../x",
            "./y", "a/../b", "~!*'();:@&=$,[]", "{\"j\": 1}", "\\back", "a;v=1",
        ]
    )
    func keysSurvive(key: String) throws {
        let url = try HTTPURL(parsing: "s3://my-bucket/\(key)")
        let name = try #require(url.objectName)
        #expect(name.store == .s3 && name.bucket == "my-bucket")
        #expect(Array(name.key.utf8) == Array(key.utf8))
        let stored = try HTTPURL(parsing: url.absoluteString)
        #expect(stored == url && stored.objectName == name)
        #expect(url.redacted == "s3://my-bucket/\(key)")
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
            ("oss://bucket/", .missingKey),
        ]
    )
    func refused(text: String, reason: ObjectName.ParseError) {
        #expect(throws: HTTPURL.ParseError.invalidName(reason)) { try HTTPURL(parsing: text) }
    }
}

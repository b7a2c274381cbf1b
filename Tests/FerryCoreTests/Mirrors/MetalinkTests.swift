import FerryCore
import Testing

struct MetalinkTests {
    private static let sha256 = String(repeating: "0a", count: 32)
    private static let sha1 = String(repeating: "0B", count: 20)

    private func read(_ text: String) throws -> Metalink { try Metalink(parsing: Array(text.utf8)) }

    private func document(_ content: String) -> String {
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<metalink xmlns=\"urn:ietf:params:xml:ns:metalink\">\(content)</metalink>"
    }

    private func file(_ content: String, name: String = "a.iso") -> String {
        document("<file name=\"\(name)\">\(content)</file>")
    }

    private func expect(_ error: Metalink.ParseError, _ text: String) {
        #expect(throws: error, "\(text)") { try read(text) }
    }

    @Test func readsADocumentWithAllThatFerryGoesBy() throws {
        let metalink = try read(
            """
            <?xml version='1.0' encoding='utf-8' standalone="yes"?>
            <!-- made by hand --><?style none?>
            <m:metalink xmlns:m="urn:ietf:params:xml:ns:metalink" xmlns:x="urn:other">
              <m:published>2009-05-15T12:23:23Z</m:published>
              <m:file name="dir/e&#x78;ample.ext">
                <m:size> 14 </m:size>
                <x:size>99</x:size>
                <m:hash type="sha-1">\(Self.sha1)</m:hash>
                <m:hash type="sha-256">
                  \(Self.sha256)
                </m:hash>
                <m:hash type="whirlpool">00</m:hash>
                <m:pieces length="10" type="sha-1"><m:hash>\(Self.sha1)</m:hash><m:hash>\(Self.sha1)</m:hash></m:pieces>
                <m:url location="DE" priority="2">https://two.example/a?b=1&amp;c=2</m:url>
                <m:url priority="1"><![CDATA[http://one.example/a]]></m:url>
                <m:url>ftp://three.example/a</m:url>
                <m:metaurl mediatype="torrent">http://four.example/a.torrent</m:metaurl>
                <m:signature mediatype="application/pgp-signature">-----BEGIN</m:signature>
              </m:file>
              <m:file name="empty"><m:size>0</m:size></m:file>
            </m:metalink>
            <!-- the end -->
            """
        )
        #expect(metalink.files.map(\.name.rawValue) == ["example.ext", "empty"])
        let file = metalink.files[0]
        #expect(file.size == 14)
        #expect(file.checksums.map(\.algorithm) == [.sha256, .sha1])
        #expect(file.checksums[0].hex == Self.sha256)
        #expect(file.unknownDigestTypes == ["whirlpool"])
        #expect(file.pieces?.length == 10 && file.pieces?.checksums.count == 2)
        #expect(
            file.mirrors.map(\.url.absoluteString) == [
                "http://one.example/a", "https://two.example/a?b=1&c=2",
            ]
        )
        #expect(file.mirrors[1].location == "de")
        #expect(metalink.files[1].mirrors == [] && metalink.files[1].pieces == nil)
    }

    @Test(arguments: [
        "../x", "/etc/passwd", "a/../../x", "..", ".", "", "a//b", "a/", "a\\..\\x", "./a", "&#x2e;./x",
        "...", "\u{202E}",
    ])
    func aNameThatLeadsElsewhereOrIsNoneIsRefused(name: String) {
        expect(.unsafeName, file("<url>http://h/a</url>", name: name))
    }

    @Test func aFileWithoutANameIsRefused() {
        expect(.unsafeName, document("<file><url>http://h/a</url></file>"))
    }

    @Test func entitiesOfADocumentsOwnAreRefusedUnread() {
        expect(.documentType, "<!DOCTYPE metalink SYSTEM \"file:///etc/passwd\">" + file(""))
        let xml = "<?xml version=\"1.0\"?>"
        expect(.documentType, "\(xml)<!DOCTYPE m [<!ENTITY x SYSTEM \"file:///etc/passwd\">]><m>&x;</m>")
        expect(.documentType, "\(xml)<!DOCTYPE m [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]><m>&b;</m>")
        expect(.malformed, file("<url>http://h/&x;</url>"))
        expect(.documentType, file("<!ENTITY x \"y\">"))
    }

    @Test(arguments: [
        "<size>-1</size>", "<size>1e3</size>", "<size/>", "<size>1</size><size>1</size>", "<size>0x1</size>",
        "<size>9223372036854775808</size>",
    ])
    func aSizeThatMakesNoSenseIsRefused(content: String) {
        expect(.size, file(content))
    }

    @Test func aDigestThatMakesNoSenseIsRefused() {
        expect(.digest, file("<hash type=\"sha-256\">00</hash>"))
        expect(.digest, file("<hash type=\"md5\"></hash>"))
        let hash = "<hash type=\"sha-256\">\(Self.sha256)</hash>"
        expect(.digest, file(hash + hash))
    }

    @Test(arguments: [
        ("0", 1), ("-1", 1), ("", 1), ("14", 2), ("7", 1), ("13", 1), ("1", 13), ("9223372036854775808", 1),
    ])
    func partsThatDoNotFitTheFileAreRefused(length: String, count: Int) {
        let hashes = String(repeating: "<hash>\(Self.sha1)</hash>", count: count)
        expect(.pieces, file("<size>14</size><pieces type=\"sha-1\" length=\"\(length)\">\(hashes)</pieces>"))
        expect(.pieces, file("<pieces type=\"sha-1\" length=\"0\">\(hashes)</pieces><size>14</size>"))
    }

    @Test func ofDigestsOfPartsTheStrongestCountsAndUnknownOnesDoNot() throws {
        let parts = [("whirlpool", "x"), ("sha-1", Self.sha1), ("sha-256", Self.sha256)].map { type, digest in
            "<pieces type=\"\(type)\" length=\"5\"><hash>\(digest)</hash></pieces>"
        }
        let pieces = try #require(try read(file(parts.joined())).files[0].pieces)
        #expect(pieces.checksums.map(\.algorithm) == [.sha256])
    }

    @Test(arguments: [
        "<", "<m", "<m>", "<m></n>", "<m a=1/>", "<m a='1' a='2'/>", "<m a='<'/>", "<m a/>", "<m a='1>",
        "</m>",
        "<m>&x;</m>", "<m>&#0;</m>", "<m>&#xD800;</m>", "<m>&amp</m>", "<m>&;</m>", "<m>&#;</m>",
        "<m>&#x;</m>",
        "<m>&#+65;</m>", "<m><!-- a -- b --></m>", "<m>\u{1}</m>", "<p:m/>", "<?xml version='1.0'?>",
        "<m a='1'b='2'/>",
        "<m></m", "<1m/>", "<m>\u{FFFF}</m>", "<m><![CDATA[x</m>", "<a:b:c xmlns:a='x'/>", "<m xmlns:p=''/>",
        "< m/>",
        "<m a='\u{2}'/>", "<m / >", "<!-- x", "<?x", "<m>&#x110000;</m>",
    ])
    func whatIsNotWellFormedIsRefused(text: String) {
        expect(.malformed, document("<x>\(text)</x>"))
    }

    @Test(arguments: ["x", "<m/>", "</m>", "<![CDATA[x]]>", "&amp;", "<!-- "])
    func whatFollowsTheRootIsRefused(text: String) {
        #expect(throws: Never.self) { try read(file("") + "<!-- x -->\n <?x y?>") }
        expect(.malformed, file("") + text)
    }

    @Test(arguments: [
        "", " ", "x", "<!-- x -->", " <?xml version='1.0'?>", "&lt;", "<?xml version='1.0'encoding='utf-8'?>",
    ])
    func whatHasNoRootOrAnythingBeforeItIsRefused(text: String) {
        expect(.malformed, text)
        expect(.malformed, "x\(text)" + document("<file name='a'/>"))
    }

    @Test func anotherEncodingIsRefused() {
        expect(.encoding, "<?xml version=\"1.0\" encoding=\"UTF-16\"?>" + file(""))
        #expect(throws: Metalink.ParseError.encoding) { try Metalink(parsing: [0xFF, 0xFE, 0x3C, 0x00]) }
        #expect(throws: Metalink.ParseError.encoding) {
            try Metalink(parsing: Array("<m>".utf8) + [0xC0, 0x80] + Array("</m>".utf8))
        }
    }

    @Test func whatIsNoMetalinkOfVersion4IsRefused() {
        expect(.notMetalink, "<html/>")
        expect(.notMetalink, "<metalink/>")
        expect(
            .notMetalink,
            "<metalink version=\"3.0\" xmlns=\"http://www.metalinker.org/\"><files/></metalink>"
        )
        expect(.noFile, document(""))
        expect(.noFile, document("<x><file name=\"a\"/></x>"))
        expect(.malformed, file("<size>1<b/>4</size>"))
    }

    @Test func depthAndLengthAreBounded() {
        let deep = String(repeating: "<a>", count: 100_000)
        expect(.tooDeep, document(deep))
        let names = (0..<40).map { "<a xmlns:n\($0)='u'>" }.joined()
        expect(.tooDeep, document(names))
        let attributes = (0..<100).map { " a\($0)=''" }.joined()
        expect(.tooDeep, "<m\(attributes)/>")
        #expect(throws: Metalink.ParseError.tooLong) {
            try Metalink(parsing: [UInt8](repeating: 0x20, count: Metalink.longest + 1))
        }
    }
}

import FerryCore
import FerryTesting
import HTTPTypes
import Testing

struct ContentDispositionTests {
    @Test(
        arguments: [
            ("attachment", nil),
            ("inline; filename=a.txt", "a.txt"),
            ("ATTACHMENT;FILENAME=\"a.txt\"", "a.txt"),
            ("attachment; filename=\"a \\\"b\\\" c.txt\"", "a \"b\" c.txt"),
            ("attachment; filename=\"a\\\\b\"", "a\\b"),
            ("attachment; filename=\"a;b.txt\"; x=y", "a;b.txt"),
            ("attachment; filename=a b.txt ; x=y", "a b.txt"),
            ("attachment; filename = \"a\"", "a"),
            ("attachment; filename=\"a", "a"),
            ("attachment; filename=\"a\\", "a\\"),
            ("attachment; filename=\"a\" junk; x=y", "a"),
            ("attachment; filename=\"a\"; filename=\"b\"", "a"),
            ("attachment; filename=\"\"", nil),
            ("attachment; filename=", nil),
            ("attachment; filename", nil),
            ("attachment; =x; filename=a", "a"),
            ("attachment; ;; ; filename=a;", "a"),
            ("attachment; xfilename=a", nil),
            ("attachment; x=\"filename=no\"; filename=yes", "yes"),
            ("attachment; filename=\"ü.txt\"", "ü.txt"),
            ("attachment; filename*=UTF-8''%e2%82%ac%20rates", "€ rates"),
            ("attachment; filename*=utf-8'en'%C3%BC", "ü"),
            ("attachment; filename*=iso-8859-1''%FC.txt", "ü.txt"),
            ("attachment; filename=\"plain\"; filename*=UTF-8''star", "star"),
            ("attachment; filename*=UTF-8''star; filename=\"plain\"", "star"),
            ("attachment; filename*=UTF-8''a; filename*=UTF-8''b", "a"),
            ("attachment; filename=plain; filename*=Shift_JIS''%83", "plain"),
            ("attachment; filename=plain; filename*=UTF-8''%FF%FE", "plain"),
            ("attachment; filename=plain; filename*=UTF-8''%4", "plain"),
            ("attachment; filename=plain; filename*=UTF-8''%zz", "plain"),
            ("attachment; filename=plain; filename*=UTF-8''", "plain"),
            ("attachment; filename=plain; filename*=UTF-8", "plain"),
            ("attachment; filename=plain; filename*=UTF-8'x", "plain"),
            ("attachment; filename=plain; filename*=''x", "plain"),
            ("attachment; filename=plain; filename*=UTF-8''ü", "plain"),
            ("attachment; filename*=bogus''x", nil),
            ("attachment; filename*=\"UTF-8''quoted\"", "quoted"),
            ("attachment; filename*=UTF-8''it's", "it's"),
            ("attachment; filename*=UTF-8''..%2F..%2Fetc%2Fpasswd", "../../etc/passwd"),
            ("attachment; filename=\"../x\"", "../x"),
            ("attachment; filename*=UTF-8''a%00b", "a\0b"),
        ] as [(String, String?)]
    )
    func choosesName(text: String, filename: String?) {
        #expect(ContentDisposition(text)?.filename == filename)
        #expect(ContentDisposition(text) != nil)
    }

    @Test(arguments: [
        "", ";", " ", "filename=a", "; filename=a", "\"attachment\"; filename=a", "at tachment; filename=a",
    ])
    func refusesWithoutAType(text: String) {
        #expect(ContentDisposition(text) == nil)
    }

    @Test func lowercasesType() {
        #expect(ContentDisposition("ATTACHMENT; x=y")?.type == "attachment")
    }

    @Test func readsRawLatin1() {
        let bytes = Array("attachment; filename=\"".utf8) + [0xFC] + Array(".txt\"".utf8)
        #expect(ContentDisposition(bytes: bytes)?.filename == "ü.txt")
    }

    @Test func readsRawLatin1OfAnAnswer() throws {
        for value in [
            "attachment; filename=\"gr\u{FC}n.txt\"", "attachment; filename=gr\u{FC}n.txt",
            "attachment; filename*=ISO-8859-1''gr\u{FC}n.txt",
            "attachment; filename=plain; filename*=iso-8859-1'de'gr\u{FC}n.txt",
        ] {
            let text = "HTTP/1.1 200 OK\r\nContent-Disposition: \(value)\r\nContent-Length: 0\r\n\r\n"
            let bytes = text.unicodeScalars.map { UInt8($0.value) }
            var (reader, position) = (ResponseReader(answering: .get), 0)
            guard case .head(let head, _) = try reader.next(in: bytes.span.bytes, at: &position) else {
                Issue.record("no head: \(value)")
                continue
            }
            #expect(ContentDisposition(head.headers)?.filename == "gr\u{FC}n.txt", "\(value)")
            #expect(ResponseFacts(head, at: .epoch).disposition?.filename == "gr\u{FC}n.txt")
        }
    }

    @Test(arguments: [
        ("attachment; filename*=utf8''%C3%BC", "\u{FC}"), ("attachment; filename*=UTF8''%C3%BC", "\u{FC}"),
        ("attachment; filename=plain; filename*=utf8''%FF", "plain"),
        ("attachment; filename*=iso-8859-1''%C3%BC", "\u{C3}\u{BC}"),
        ("attachment; filename*=ISO-8859-1''\u{FC}", "\u{FC}"),
    ])
    func readsCharsetsAsServersWriteThem(text: String, filename: String) {
        #expect(ContentDisposition(text)?.filename == filename)
    }

    @Test func neverTrapsAndStaysLinear() {
        let alphabet =
            SeededRandom.soup + [
                "attachment", "filename=", "filename*=", "UTF-8''", "iso-8859-1''", "%C3", "\\\"",
            ]
        for seed in 0..<20_000 as Range<UInt64> {
            var random = SeededRandom(seed: seed)
            let text = random.text(from: alphabet, length: 12)
            _ = ContentDisposition(text)
            #expect(ContentDisposition("a;" + text)?.filename?.isEmpty != true, "seed \(seed)")
        }
        #expect(ContentDisposition("a" + String(repeating: ";x=\"", count: 100_000)) != nil)
        #expect(ContentDisposition("a" + String(repeating: ";", count: 200_000)) != nil)
    }
}

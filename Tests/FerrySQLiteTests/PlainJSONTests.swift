import FerryCore
import Testing

@testable import FerrySQLite

/// What is written without an encoder is, octet for octet, what the encoder writes. What is read without a decoder is what the
/// decoder reads.
struct PlainJSONTests {
    /// A value for each part of a progress.
    private static let parts = [
        "phase": #""publishing""#, "name": #""a b.bin""#, "mediaType": #""text/html""#, "status": "206",
        "part": #"{"name":"a.part","identity":{"device":18446744073709551615,"inode":1},"boot":"b"}"#,
        "kept": #"{"name":"a.part","identity":{"device":7,"inode":1,"birth":-4},"boot":"b","modified":5}"#,
        "validator": #"{"entityTag":"\"x\"","lastModified":"Sun"}"#, "contentCoding": #""gzip""#,
        "isDecoded": "true", "assurance": #""overlap-checked""#, "source": #""http://h/""#,
        "server": #"{"scheme":"https","host":"h","port":443}"#, "refusedParts": "2", "partStart": "9",
        "trail": "3",
    ]

    /// A value for each part of the progress of a request.
    private static let partsOfRequest = [
        "sent": #"{"milliseconds":-5}"#, "sentBefore": #"{"milliseconds":7}"#,
        "response": #"{"status":200,"fields":[{"name":"A","value":"b"}]}"#,
        "bodyLength": "9",
        "upload": #"{"sent":1,"length":9223372036854775807}"#, "unsaved": #"{"stored":{}}"#,
        "values": #"{"a":{"json":"1"}}"#, "note": #"{"code":"resumed","message":"m"}"#,
        "hasRemovedCopy": "true",
        "former": #"{"file":{"path":"/a","length":1,"device":1,"inode":1}}"#,
    ]

    private static let segments = SegmentMap(length: 7)

    private static func text(of names: [String], in parts: [String: String]) -> String {
        "{" + names.map { "\"\($0)\":\(parts[$0] ?? "null")" }.joined(separator: ",") + "}"
    }

    @Test func writesEachPartOrLeavesItToTheEncoder() throws {
        let texts = StoredTexts()
        let plain: Set = [
            "phase", "name", "mediaType", "status", "part", "validator", "server", "source", "trail",
        ]
        var choices = Self.parts.keys.map { [$0] }
        choices += [plain.sorted(), Self.parts.keys.sorted(), []]
        for names in choices {
            let parts = Self.text(of: names, in: Self.parts)
            let stored = try texts.decodeJSON(StoredDownloadProgress.self, from: parts)
            let progress = stored.progress(segments: Self.segments)
            let json = try texts.encodeJSON(stored)
            let text = try texts.encode(progress)
            #expect((text == nil) == names.isEmpty)
            #expect((text ?? "{}").hasSameOctets(as: json))
            let isPlain = plain.isSuperset(of: names)
            #expect((progress.plainText != nil) == isPlain, "\(names)")
            let alone = stored.progress(segments: SegmentMap(length: nil))
            #expect(DownloadProgress(plainText: json) == (isPlain ? alone : nil), "\(names)")
            let read = try texts.decodeProgress(json, segments: Self.segments)
            #expect(read == progress)
        }
    }

    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sunday, 06-Nov-39 08:49:37 GMT",
        "yesterday", "a\tb", "\u{2028}/\u{1F6A2}",
    ])
    func readsEveryValidator(_ lastModified: String) throws {
        let texts = StoredTexts()
        for date in [now, nil] {
            var progress = DownloadProgress()
            progress.validator = Validator(
                entityTag: EntityTag(#"W/"a\b""#),
                lastModified: lastModified,
                date: date,
                receivedAt: now
            )
            let text = try #require(try texts.encode(progress))
            let read = try texts.decodeProgress(text, segments: progress.segments)
            #expect(read == progress)
            if lastModified.hasSuffix("1994 08:49:37 GMT") {
                #expect(DownloadProgress(plainText: text) == progress, "no decoder is needed")
            }
        }
    }

    @Test func writesEachPartOfARequestOrLeavesItToTheEncoder() throws {
        let texts = StoredTexts()
        let plain: Set = ["bodyLength", "sent", "sentBefore", "response", "upload"]
        var choices = Self.partsOfRequest.keys.map { [$0] }
        choices += [plain.sorted(), Self.partsOfRequest.keys.sorted(), []]
        for names in choices {
            let text = Self.text(of: names, in: Self.partsOfRequest)
            let progress = try texts.decodeJSON(RequestProgress.self, from: text)
            #expect(try texts.encode(progress).utf8.elementsEqual(texts.encodeJSON(progress).utf8))
            #expect((progress.plainText != nil) == plain.isSuperset(of: names), "\(names)")
        }
        let names = Mirror(reflecting: RequestProgress()).children.compactMap(\.label)
        #expect(Set(names) == Set(Self.partsOfRequest.keys))
    }

    @Test func writesEveryResponseOrLeavesItToTheEncoder() throws {
        let texts = StoredTexts()
        let fields = [
            HeaderField(name: "X-\u{0}\"🚢", value: ""), HeaderField(name: "A", value: "a/b\\cafe\u{301}"),
        ]
        let lengths: [(saved: Int64?, body: [UInt8])] = [(nil, []), (0, []), (Int64.max, []), (nil, [7])]
        for (count, isTruncated) in [(0, false), (1, true), (2, false)] {
            for (savedLength, body) in lengths {
                var response = StoredResponse(status: 200 + count, fields: [], body: body)
                response.fields += fields.prefix(count)
                (response.isTruncated, response.savedLength) = (isTruncated, savedLength)
                var progress = RequestProgress()
                progress.response = response
                #expect(try texts.encode(progress).utf8.elementsEqual(texts.encodeJSON(progress).utf8))
                #expect((progress.plainText != nil) == body.isEmpty)
                let names = Mirror(reflecting: response).children.compactMap(\.label)
                #expect(Set(names) == ["status", "fields", "body", "isTruncated", "savedLength"])
            }
        }
    }

    /// The decoder says whether such a text is damage.
    @Test(arguments: [
        "", "{", "{}", "{}}", "[]", #"{"status":}"#, #"{"status":-0}"#, #"{"status":206,}"#,
        #"{"status":206"#, #"{ "status":206}"#, #"{"status":206,"phase":"publishing"}"#, #"{"phase":"\"}"#,
        #"{"phase":"gone"}"#, #"{"name":"../a"}"#, #"{"name":"\u0061"}"#, #"{"name":"a\/b"}"#,
        #"{"part":{"boot":"b"}}"#, #"{"mediaType":"Text/HTML"}"#, #"{"mediaType":"text/html","other":1}"#,
        #"{"status":206}{"status":206}"#,
    ])
    func leavesAnyOtherTextToTheDecoder(_ text: String) {
        // An empty progress is stored as nothing, and is written as this.
        #expect((DownloadProgress(plainText: text) != nil) == (text == "{}"))
    }

    /// A part that is added must be written, or be left to the encoder.
    @Test func everyPartIsKnownHere() {
        let names = Mirror(reflecting: StoredDownloadProgress(DownloadProgress())).children.compactMap(
            \.label
        )
        // They are built from more than a text.
        let others = ["volunteered", "mirroring", "saved", "note"]
        #expect(Set(names) == Set(Self.parts.keys).union(others))
    }

    @Test func escapesWhatTheEncoderEscapes() throws {
        let texts = StoredTexts()
        for scalar in (0...0x2100).compactMap(UnicodeScalar.init(_:)) {
            let text = "a\(Character(scalar))/b"
            let json = PlainJSON { $0.member("k", text) }.text
            #expect(try json.utf8.elementsEqual(texts.encodeJSON(["k": text]).utf8), "\(scalar.value)")
        }
    }
}

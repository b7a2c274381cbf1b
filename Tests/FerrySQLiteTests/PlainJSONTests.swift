import FerryCore
import Testing

@testable import FerrySQLite

/// What is written without an encoder is, octet for octet, what the encoder writes.
struct PlainJSONTests {
    /// A value for each part of a progress.
    private static let parts = [
        "phase": #""publishing""#, "name": #""a b.bin""#, "mediaType": #""text/html""#, "status": "206",
        "part": #"{"name":"a.part","identity":{"device":18446744073709551615,"inode":1},"boot":"b"}"#,
        "kept": #"{"name":"a.part","identity":{"device":7,"inode":1,"birth":-4},"boot":"b","modified":5}"#,
        "validator": #"{"entityTag":"\"x\"","lastModified":"Sun"}"#, "contentCoding": #""gzip""#,
        "isDecoded": "true", "assurance": #""overlap-checked""#, "source": #""http://h/""#,
        "server": #"{"scheme":"https","host":"h","port":443}"#, "refusedParts": "2", "partStart": "9",
    ]

    private static func text(of names: [String]) -> String {
        "{" + names.map { "\"\($0)\":\(parts[$0] ?? "null")" }.joined(separator: ",") + "}"
    }

    @Test func writesEachPartOrLeavesItToTheEncoder() throws {
        let texts = StoredTexts()
        let plain: Set = ["phase", "name", "mediaType", "status", "part", "validator", "server"]
        var choices = Self.parts.keys.map { [$0] }
        choices += [plain.sorted(), Self.parts.keys.sorted(), []]
        for names in choices {
            let stored = try texts.decodeJSON(StoredDownloadProgress.self, from: Self.text(of: names))
            #expect(stored.isEmpty == names.isEmpty)
            let text = try texts.encodeJSON(stored)
            #expect(try texts.encode(stored).utf8.elementsEqual(text.utf8))
            #expect((stored.plainText != nil) == plain.isSuperset(of: names), "\(names)")
        }
    }

    /// A part that is added must be written, or be left to the encoder.
    @Test func everyPartIsKnownHere() {
        let names = Mirror(reflecting: StoredDownloadProgress(DownloadProgress())).children.compactMap(
            \.label
        )
        // They are built from more than a text.
        let others = ["volunteered", "trail", "mirroring", "saved", "note"]
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

import FerryCore
import Testing

struct SameOctetsTests {
    private static let long = "a text that is too long to be stored in place"

    @Test(arguments: [
        "", "a", "A", "caf\u{E9}", "cafe\u{301}", "\u{212B}", "A\u{30A}", long, long + "\u{301}",
    ])
    func onlyATextWithTheSameOctetsIsTheSame(_ text: String) {
        for other in ["", "a", "caf\u{E9}", "A\u{30A}", Self.long] {
            #expect(text.hasSameOctets(as: other) == (Array(text.utf8) == Array(other.utf8)))
        }
        let copy = String(decoding: Array(text.utf8), as: UTF8.self)
        #expect(text.hasSameOctets(as: copy), "also in another storage")
    }

    @Test func aMissingTextIsTheSameAsNoOther() {
        let (missing, empty): (String?, String?) = (nil, "")
        #expect(missing.hasSameOctets(as: nil) && empty.hasSameOctets(as: ""))
        #expect(!missing.hasSameOctets(as: "") && !empty.hasSameOctets(as: nil))
    }
}

import FerryCore
import Testing

@testable import FerryUploads

/// Short documents of stores.
struct XMLElementTests {
    private func element(_ text: String) throws -> XMLElement { try XMLElement(reading: Array(text.utf8)) }

    @Test func elementsAreFoundByTheirNames() throws {
        let root = try element(
            "<?xml version=\"1.0\"?><r xmlns:x='u'><a>1</a><x:b>a&amp;<![CDATA[<b>]]></x:b><a>2</a><c/></r>\n"
        )
        #expect(root.name == "r")
        #expect(root.all("a").map(\.text) == ["1", "2"])
        #expect(root.text(of: "a") == nil && root.text(of: "d") == nil)
        #expect(root.text(of: "b") == "a&<b>" && root.text(of: "c")?.isEmpty == true)
        #expect(root.all("a")[1].text == "2" && root.number(of: "c") == nil)
    }

    @Test(arguments: [
        ("7", 7), (" 7 ", 7), ("-7", nil), ("7.0", nil), ("9223372036854775807", Int64.max),
        ("9223372036854775808", nil), ("", nil),
    ])
    func numbersAreDigits(_ text: String, _ expected: Int64?) throws {
        #expect(try element("<r><n>\(text)</n></r>").number(of: "n") == expected)
    }

    @Test(arguments: ["", " ", "<r>", "<r></s>", "<r/><r/>", "text", "<!DOCTYPE r><r/>", "<r>&x;</r>"])
    func otherDocumentsAreRefused(_ text: String) {
        #expect(throws: XMLReader.Refusal.self) { try element(text) }
    }

    @Test func aDocumentOfTooManyElementsIsRefused() throws {
        #expect(try element("<r>\(String(repeating: "<a/>", count: 99_999))</r>").children.count == 99_999)
        #expect(throws: XMLReader.Refusal.tooLarge) {
            try element("<r>\(String(repeating: "<a/>", count: 100_000))</r>")
        }
    }

    @Test func aTextSurvivesWritingAndReading() throws {
        let text = "a&b<c>\"d'\r\n\t ]]> ü"
        #expect(try element("<r><t>\(XMLElement.escaped(text))</t></r>").text(of: "t") == text)
    }
}

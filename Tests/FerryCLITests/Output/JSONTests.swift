import Foundation
import Testing

@testable import FerryCLI
@testable import FerryFrontend

@Suite struct JSONTests {
    @Test func everyScalarSurvivesAndNoLineIsBroken() throws {
        var text = ""
        for value in UInt32(0)...0x10FFFF {
            // Every scalar of the first planes' beginnings, and each 257th behind them.
            guard value < 0x3000 || value % 257 == 0, let scalar = Unicode.Scalar(value) else { continue }
            text.unicodeScalars.append(scalar)
        }
        let line = (["a": .string(text)] as JSON).text
        #expect(!line.utf8.contains { $0 < 0x20 || $0 == 0x7F })
        let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: String]
        #expect(object?["a"].map { Array($0.unicodeScalars) } == Array(text.unicodeScalars))
    }

    @Test func writesWhatTheGrammarSays() {
        let value: JSON = [
            "null": .null, "yes": true, "least": .int(.min), "half": .double(0.5), "nan": .double(.nan),
            "big": .double(.infinity), "list": .array([1, "a\"\\\n\u{1B}\u{2028}"]), "none": [:],
        ]
        let expected =
            #"{"null":null,"yes":true,"least":-9223372036854775808,"half":0.5,"nan":null,"big":null,"#
            + #""list":[1,"a\"\\\n\u001b\u2028"],"none":{}}"#
        #expect(value.text == expected)
    }
}

import Testing

@testable import FerryCore

/// Structured fields of one item, and the integers of dictionaries.
struct StructuredItemTests {
    @Test(arguments: [
        ("42", StructuredItem.integer(42)), (" -1 ", .integer(-1)), ("?1", .boolean(true)),
        ("?0;a=1", .boolean(false)),
        ("1.5", .other), ("\"4\"", .other), ("token", .other), (":AAAA:", .other),
        ("999999999999999", .integer(999_999_999_999_999)),
    ])
    func anItemHasAType(_ text: String, _ expected: StructuredItem) {
        #expect(StructuredItem(text) == expected)
    }

    @Test(arguments: ["", "1, 2", "?2", "1000000000000000", "1 2", "(1)", "ä", "a=1"])
    func anythingElseIsNone(_ text: String) {
        #expect(StructuredItem(text) == nil)
    }

    @Test func aLongFieldIsNotRead() {
        #expect(StructuredItem("\"" + String(repeating: "a", count: 9 << 10) + "\"") == nil)
    }

    @Test func aDictionaryTellsItsIntegers() throws {
        let dictionary = try #require(StructuredDictionary("a=1, b=\"x\", c, d=:AAAA:, a=2;p=3, e=(1 2)"))
        #expect(dictionary.integers == ["a": 2])
        #expect(dictionary.keys == ["a", "b", "c", "d", "e"])
    }
}

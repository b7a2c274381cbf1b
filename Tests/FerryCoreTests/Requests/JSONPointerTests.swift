import Testing

@testable import FerryCore

@Suite("JSON Pointer")
struct JSONPointerTests {
    /// The document and the pointers of RFC 6901 §5.
    private static let document = #"""
        {
           "foo": ["bar", "baz"],
           "": 0,
           "a/b": 1,
           "c%d": 2,
           "e^f": 3,
           "g|h": 4,
           "i\\j": 5,
           "k\"l": 6,
           " ": 7,
           "m~n": 8
        }
        """#

    /// What is found by some pointers together; `nil` if the text is not JSON.
    private func values(_ pointers: [String], in text: String) -> [String: String]? {
        JSONText.values(at: pointers.compactMap(JSONPointer.init), in: Array(text.utf8)).map { found in
            Dictionary(
                uniqueKeysWithValues: found.map { ("\($0.key)", String(decoding: $0.value, as: UTF8.self)) }
            )
        }
    }

    private func value(_ pointer: String, in text: String) -> String? {
        values([pointer], in: text)?[pointer]
    }

    @Test(arguments: [
        ("/foo", #"["bar", "baz"]"#), ("/foo/0", #""bar""#), ("/", "0"), ("/a~1b", "1"), ("/c%d", "2"),
        ("/e^f", "3"), ("/g|h", "4"), (#"/i\j"#, "5"), (#"/k"l"#, "6"), ("/ ", "7"), ("/m~0n", "8"),
    ])
    func findsWhatTheStandardSays(pointer: String, expected: String) {
        #expect(value(pointer, in: Self.document) == expected)
        #expect(JSONPointer(pointer).map { "\($0)" } == pointer)
    }

    @Test func theEmptyPointerIsTheWhole() {
        #expect(value("", in: Self.document) == Self.document)
        #expect(value("", in: "12") == "12")
    }

    @Test(arguments: [
        "/foo/2", "/foo/-", "/foo/00", "/foo/01", "/foo/+1", "/foo/-1", "/foo/", "/foo/0/x", "/foo/1e0",
        "/Foo",
        "/foo/99999999999999999999", "/x", "/foo/0/",
    ])
    func findsNothingElse(pointer: String) {
        #expect(value(pointer, in: Self.document) == nil)
    }

    @Test(arguments: ["foo", "#/foo", "/~", "/~2", "/a~", "/~01~", " "])
    func refusesWhatIsNoPointer(text: String) {
        #expect(JSONPointer(text) == nil)
    }

    @Test(
        arguments: [
            ("\"\"", ""), (#""a/é😀""#, "a/é😀"), (#""a\u00e9\uD83D\ude00z""#, "aé😀z"), (#""\\""#, #"\"#),
            (#""é\t😀\"""#, "é\t😀\""), (#""\/\b\f\n\r""#, "/\u{8}\u{C}\n\r"), (#""a\ud83d""#, nil),
            ("\"", nil), ("12", nil), ("[]", nil),
        ] as [(String, String?)]
    )
    func readsAString(value: String, text: String?) {
        #expect(JSONText.string(Array(value.utf8)[...]) == text)
        guard let text else { return }
        #expect(JSONText.string(Array(JSONText.quoted(text).utf8)[...]) == text)
    }

    /// No digit is lost, and names are compared as they are.
    @Test func valuesAndNamesStayAsTheyAreWritten() {
        #expect(value("/a/1", in: #"{"a": [ 1 , 9223372036854775808 ]}"#) == "9223372036854775808")
        #expect(value("/n", in: #"{"n":1.10}"#) == "1.10")
        #expect(value("/\u{E9}", in: "{\"e\u{301}\": 1}") == nil, "one has a combining accent")
        #expect(value("/\u{E9}", in: #"{"\u00e9": 1}"#) == "1")
        #expect(value("/~01", in: #"{"~1": 1}"#) == "1")
    }

    /// Nothing is found where a name on the way is not unique (§4); all else is.
    @Test(arguments: [
        (#"{"a": 1, "a": 2, "b": 3}"#, ["/b": "3"]), (#"{"a": {"x": 1}, "a": 2, "b": 3}"#, ["/b": "3"]),
        (#"{"a": 2, "\u0061": {"x": 1}}"#, [:]), (#"{"a": {}, "a": {}, "a": {"x": 1}}"#, [:]),
        (#"{"a": {"x": 1, "x": 1, "y": 2}}"#, ["/a": #"{"x": 1, "x": 1, "y": 2}"#, "/a/y": "2"]),
        (#"{"a": {"0": 1, "y": 1}}"#, ["/a": #"{"0": 1, "y": 1}"#, "/a/0": "1", "/a/y": "1"]),
        (#"{"a": [{"x": 1, "x": 2}]}"#, ["/a": #"[{"x": 1, "x": 2}]"#, "/a/0": #"{"x": 1, "x": 2}"#]),
        (#"{"\ud800": 1, "b": 2}"#, ["/b": "2"]),
    ])
    func doubledNamesLeadNowhere(text: String, expected: [String: String]) {
        #expect(values(["/a", "/a/x", "/a/y", "/a/0", "/a/0/x", "/b"], in: text) == expected)
    }

    /// Two pointers that a reader sees as one are two (§4).
    @Test func pointersAreNotNormalised() {
        let text = "{\"\u{E9}\": 1, \"e\u{301}\": 2}"
        #expect(JSONPointer("/\u{E9}") != JSONPointer("/e\u{301}"))
        #expect(value("/\u{E9}", in: text) == "1" && value("/e\u{301}", in: text) == "2")
    }

    @Test func deepValuesAreFound() {
        let depth = JSONText.deepest - 1
        func text(_ depth: Int) -> String {
            String(repeating: #"[{"a":"#, count: depth / 2) + "[1]"
                + String(repeating: "}]", count: depth / 2)
        }
        let pointer = String(repeating: "/0/a", count: depth / 2)
        #expect(values([pointer, pointer + "/0", "/0/a"], in: text(depth))?[pointer + "/0"] == "1")
        #expect(value(pointer, in: text(depth)) == "[1]")
        #expect(values([pointer], in: text(depth + 2)) == nil, "it is too deep")
    }

    /// One fault anywhere, and nothing is found.
    @Test(arguments: [
        "", " ", "{", #"{"a": 1"#, #"{"a": 1} x"#, #"{"a": 1, "b": 01}"#, "{\"a\": 1, \"b\": \"\n\"}",
    ])
    func nothingIsFoundInWhatIsNotJSON(text: String) {
        #expect(values(["/a"], in: text) == nil)
    }
}

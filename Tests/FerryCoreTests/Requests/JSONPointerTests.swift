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

    private func value(_ pointer: String, in text: String) -> String? {
        JSONPointer(pointer)?.value(in: Array(text.utf8)[...]).map { String(decoding: $0, as: UTF8.self) }
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

    /// No digit is lost, and names are compared as they are.
    @Test func valuesAndNamesStayAsTheyAreWritten() {
        #expect(value("/a/1", in: #"{"a": [ 1 , 9223372036854775808 ]}"#) == "9223372036854775808")
        #expect(value("/n", in: #"{"n":1.10}"#) == "1.10")
        #expect(value("/\u{E9}", in: "{\"e\u{301}\": 1}") == nil, "one has a combining accent")
        #expect(value("/\u{E9}", in: #"{"\u00e9": 1}"#) == "1")
        #expect(value("/~01", in: #"{"~1": 1}"#) == "1")
        #expect(value("/a", in: #"{"a": 1, "a": 2}"#) == nil, "the name is not unique (§4)")
    }
}

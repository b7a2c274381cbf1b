import Testing

@testable import FerryCore

@Suite("Members of a JSON object")
struct JSONMembersTests {
    @Test func theyAreReadByName() throws {
        let object = #" {"a": "x\n", "n": -5, "a": "y", "list": [1, "2"], "big": 1e3, "none": null} "#
        let members = try #require(JSONMembers(of: Array(object.utf8)[...]))
        #expect(members.text("a") == "x\n", "the first of one name counts")
        #expect(members.number("n") == -5)
        #expect(members["n"]?.text == "-5")
        #expect(members.elements("list")?.map(\.text) == ["1", #""2""#])
        #expect(members.text("n") == nil && members.number("a") == nil && members.number("big") == nil)
        #expect(members["b"] == nil && members.text("none") == nil && members.elements("none") == nil)
    }

    @Test(arguments: ["", "[]", "1", #"{"a":}"#, #"{"a": 1} x"#, #"{"a": 1"#])
    func nothingElseIsAnObject(text: String) {
        #expect(JSONMembers(of: Array(text.utf8)[...]) == nil)
    }
}

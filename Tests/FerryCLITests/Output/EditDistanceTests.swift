import Testing

@testable import FerryFrontend

@Suite("How much two words differ")
struct EditDistanceTests {
    @Test(arguments: [
        ("", "", 0), ("", "abc", 3), ("abc", "", 3), ("get", "get", 0), ("kitten", "sitting", 3),
        ("FERRY_DATADIR", "FERRY_DATA_DIR", 1),
        // Two neighbours that were swapped are one mistake.
        ("gte", "get", 1), ("ab", "ba", 1), ("badc", "abcd", 2), ("FERRY_DATA_DRI", "FERRY_DATA_DIR", 1),
        // They are neighbours in both words.
        ("acb", "bca", 2), ("ca", "abc", 3),
    ])
    func countsTheMistakes(_ one: String, _ other: String, _ expected: Int) {
        #expect(EditDistance.between(one, other) == expected)
        #expect(EditDistance.between(other, one) == expected)
    }

    @Test func comparesNoLongWord() {
        #expect(EditDistance.between("a", String(repeating: "a", count: 41)) == .max)
    }

    @Test func findsTheNearestWord() {
        #expect(EditDistance.nearest(to: "gte", among: ["put", "get", "set"], within: 2) == "get")
        #expect(EditDistance.nearest(to: "download", among: ["put", "get"], within: 2) == nil)
        #expect(EditDistance.nearest(to: "download", among: []) == nil)
    }
}

import FerryCore
import FerryTesting
import Testing

struct EntityTagTests {
    @Test(arguments: [
        ("\"abc\"", true), (" \"abc\" ", true), ("\"a/b:c\"", true), ("\"ü\"", true), ("W/\"abc\"", false),
        ("w/\"abc\"", false), ("abc", false), ("\"abc", false), ("abc\"", false), ("\"a b\"", false),
        ("\"\"", false),
        ("\"", false), ("W/", false), ("W/abc", false), ("\"a\", \"b\"", false), ("\"a\u{FFFD}\"", false),
        ("*", false),
    ])
    func knowsStrength(text: String, isStrong: Bool) {
        #expect(EntityTag(text)?.isStrong == isStrong)
    }

    @Test(arguments: ["", " ", "\t", "\"a\nb\"", "\"a\0\"", "\"\u{7F}\"", "\r\n"])
    func refuses(text: String) {
        #expect(EntityTag(text) == nil)
    }

    /// The table of RFC 9110 §8.8.3.2, and what comes in practice.
    @Test(arguments: [
        ("W/\"1\"", "W/\"1\"", false, true), ("W/\"1\"", "W/\"2\"", false, false),
        ("W/\"1\"", "\"1\"", false, true),
        ("\"1\"", "\"1\"", true, true), ("\"1\"", "\"2\"", false, false),
        ("\"1\"", "\"1-gzip\"", false, false),
        ("abc", "abc", false, true), ("abc", "\"abc\"", false, false), ("\"\"", "\"\"", false, true),
        ("\"A\"", "\"a\"", false, false), ("\"é\"", "\"e\u{301}\"", false, false), ("W/x", "x", false, false),
    ])
    func compares(one: String, other: String, strongly: Bool, weakly: Bool) throws {
        let one = try #require(EntityTag(one))
        let other = try #require(EntityTag(other))
        #expect(one.strongMatches(other) == strongly)
        #expect(other.strongMatches(one) == strongly)
        #expect(one.weakMatches(other) == weakly)
        #expect(other.weakMatches(one) == weakly)
    }

    @Test func isSentBackAsItCame() {
        #expect(EntityTag("\t W/\"x\"  ")?.description == "W/\"x\"")
        #expect(EntityTag("abc")?.description == "abc")
    }

    @Test func whatMatchesStronglyMatchesWeakly() {
        let alphabet = SeededRandom.soup + ["\"", "W/", "\"a\""]
        for seed in 0..<20_000 as Range<UInt64> {
            var random = SeededRandom(seed: seed)
            guard let one = EntityTag(random.text(from: alphabet, length: 4)),
                let other = EntityTag(random.text(from: alphabet, length: 4))
            else { continue }
            #expect(one.weakMatches(one) && one.strongMatches(one) == one.isStrong, "seed \(seed)")
            if one.strongMatches(other) { #expect(one.weakMatches(other), "seed \(seed)") }
            #expect(EntityTag(one.description) == one, "seed \(seed)")
        }
    }
}

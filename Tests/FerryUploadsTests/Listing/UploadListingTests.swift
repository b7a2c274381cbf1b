import FerryCore
import Testing

@testable import FerryUploads

/// Keys in listings of uploads, from stores that encode them, that do not, and that say what they do not do.
struct UploadListingTests {
    /// How a store answers if it is asked for encoded keys.
    private enum Habit: CaseIterable {
        case encodes
        /// It says so, and does not encode (SeaweedFS).
        case onlySaysSo
        /// It ignores the question.
        case ignores
        /// It encodes without being asked.
        case alwaysEncodes
    }

    /// A store with uploads to keys, two a page.
    private struct Store {
        let habit: Habit
        let keys: [String]
        /// Whether a character that XML forbids is replaced, as by stores in Go. Otherwise it is in the page.
        var replaces = false
        private(set) var questions: [String] = []

        init(_ habit: Habit, _ keys: [String], replaces: Bool = false) {
            (self.habit, self.keys, self.replaces) = (habit, keys, replaces)
        }

        mutating func answer(_ url: HTTPURL) throws -> UploadAnswer {
            let query = url.query ?? ""
            questions.append(query)
            let isAsked = query.contains("encoding-type=url")
            let marker = query.firstMatch(of: /upload-id-marker=(\d+)/).flatMap { Int($0.1) } ?? 0
            let encodes = habit == .alwaysEncodes || habit == .encodes && isAsked
            let saysSo = encodes || habit == .onlySaysSo && isAsked
            func written(_ key: String) -> String {
                if encodes {
                    let text = PercentEncoding.escaped(key.utf8, keeping: Set("/* ".utf8))
                    return text.replacing(" ", with: "+")
                }
                return XMLElement.escaped(replaces ? key.replacing("\u{1}", with: "\u{FFFD}") : key)
            }
            let end = min(marker + 2, keys.count)
            let uploads = (marker..<end).map { number in
                "<Upload><Key>\(written(keys[number]))</Key><UploadId>\(number)</UploadId></Upload>"
            }
            let next =
                end < keys.count
                ? "<IsTruncated>true</IsTruncated><NextKeyMarker>\(written(keys[end - 1]))</NextKeyMarker>"
                    + "<NextUploadIdMarker>\(end)</NextUploadIdMarker>" : ""
            let form = saysSo ? "<EncodingType>url</EncodingType>" : ""
            let page = form + next + uploads.joined()
            let body = "<ListMultipartUploadsResult>\(page)</ListMultipartUploadsResult>"
            return try UploadExample.answer(200, [:], body, from: "https://b.example/?uploads")
        }
    }

    private func listed(_ store: inout Store) throws -> [String] {
        var listing = BucketListing<ListedUpload>(try ObjectPrefix(parsing: "s3://bucket"))
        var keys: [String] = []
        while !listing.isOver {
            let answer = try store.answer(listing.url)
            keys += try listing.read(answer, at: UploadExample.now).map(\.key)
            try #require(store.questions.count < 20)
        }
        return keys
    }

    @Test(
        "every key is read right, whatever the store does when it is asked to encode",
        arguments: Habit.allCases,
        [
            ["plain", "also/plain"], ["a b", "a+b", "a%20b"], ["a%20b", "a+b"], ["100%", "%41", "A", "%%41"],
            ["é", "%C3%A9"], ["x", "y", "z+", "%zz", "a&<b>\"'"], ["p%FF", "q"], ["%2B", "+", "%2b", " "],
        ]
    )
    private func keys(_ habit: Habit, _ keys: [String]) throws {
        var store = Store(habit, keys)
        #expect(try listed(&store) == keys)
    }

    @Test("a key with a character that XML forbids is read if the store encodes", arguments: [false, true])
    func forbidden(replaces: Bool) throws {
        let keys = ["a\u{1}b", "c", "d+\u{1}", "e%01"]
        var store = Store(.encodes, keys, replaces: replaces)
        #expect(try listed(&store) == keys)
        // The first page is asked for once more without encoding, and what is learned holds for all others.
        let encoded = store.questions.map { $0.contains("encoding-type=url") }
        #expect(encoded == [true, false, true])
    }

    @Test("a page whose keys cannot be mistaken is asked for once")
    func once() throws {
        for (habit, keys, asked) in [
            (Habit.encodes, ["a", "b/c", "d"], [true, true]),
            // A blank shows that nothing is encoded.
            (.onlySaysSo, ["a b", "a%20b", "%41"], [true, false]),
            (.onlySaysSo, ["%41", "b", "%42"], [true, false, false]),
        ] {
            var store = Store(habit, keys)
            #expect(try listed(&store) == keys)
            #expect(store.questions.map { $0.contains("encoding-type=url") } == asked)
        }
    }

    private func page(_ keys: [(id: String, key: String)], _ form: String) throws -> UploadAnswer {
        let uploads = keys.map { "<Upload><Key>\($0.key)</Key><UploadId>\($0.id)</UploadId></Upload>" }
        let body = "<ListMultipartUploadsResult>\(form)\(uploads.joined())</ListMultipartUploadsResult>"
        return try UploadExample.answer(200, [:], body, from: "https://b.example/?uploads")
    }

    private static let encoded = "<EncodingType>url</EncodingType>"

    @Test("uploads that begin and end between the two looks do not mislead")
    func changing() throws {
        var listing = BucketListing<ListedUpload>(try ObjectPrefix(parsing: "s3://bucket"))
        let doubtful = try page([("1", "gone%41"), ("2", "a%2Bb")], Self.encoded)
        #expect(try listing.read(doubtful, at: UploadExample.now).isEmpty && !listing.isOver)
        let same = try page([("2", "a%2Bb"), ("3", "new")], "")
        #expect(try listing.read(same, at: UploadExample.now).map(\.key) == ["a%2Bb", "new"])
        #expect(listing.isOver)

        listing = BucketListing<ListedUpload>(try ObjectPrefix(parsing: "s3://bucket"))
        _ = try listing.read(doubtful, at: UploadExample.now)
        // No upload is in both, so the page that was not to be encoded counts.
        #expect(try listing.read(page([("4", "%41")], ""), at: UploadExample.now).map(\.key) == ["%41"])
    }

    @Test("a second look that fails is no proof")
    func refused() throws {
        var listing = BucketListing<ListedUpload>(try ObjectPrefix(parsing: "s3://bucket"))
        _ = try listing.read(page([("1", "%41")], Self.encoded), at: UploadExample.now)
        let error = try UploadExample.answer(200, [:], "<Error/>", from: "https://b.example/?uploads")
        #expect(throws: Problem.self) { try listing.read(error, at: UploadExample.now) }
        #expect(!listing.isOver)
        #expect(try listing.url.query == "uploads&max-uploads=1000")
        #expect(try listing.read(page([("1", "A")], ""), at: UploadExample.now).map(\.key) == ["A"])
    }
}

import Testing

@testable import FerryCore

/// How many entries a listing may have, and what is kept of them.
@Suite("Entries of listings")
struct DirectoryEntriesTests {
    private static let page = "http://host/pub/"

    /// Listings with a number of entries, in each form.
    static let forms: [@Sendable (Int) -> String] = [
        { "<pre>" + (0..<$0).map { "<a href=f\($0)>x</a> 1:00" }.joined(separator: "\n") + "</pre>" },
        {
            let files = (0..<$0).map { number in
                #"{"name": "f\#(number)", "type": "file", "mtime": "1:00", "size": \#(number)}"#
            }
            return "[\(files.joined(separator: ","))]"
        },
        {
            let responses = (0..<$0).map { number in
                """
                <response><href>f\(number)</href><propstat><prop><getetag>"\(number)"</getetag><other/></prop>\
                <status>HTTP/1.1 200 OK</status></propstat></response>
                """
            }
            return "<multistatus xmlns=\"DAV:\">\(responses.joined())</multistatus>"
        },
    ]

    private func read(
        _ document: String,
        upTo most: Int = DirectoryIndex.most,
        isStopped: () -> Bool = { false }
    ) throws -> DirectoryIndex? {
        let (octets, url) = (Array(document.utf8), try HTTPURL(parsing: Self.page))
        guard document.hasPrefix("<multistatus") else {
            let type = MediaType(document.hasPrefix("[") ? "application/json" : "text/html")
            return DirectoryIndex(octets, type: type, at: url, upTo: most, isStopped: isStopped)
        }
        return try DirectoryIndex(multistatus: octets, at: url, upTo: most, isStopped: isStopped)
    }

    @Test("each of many entries is as it was listed", arguments: forms.indices)
    func many(_ form: Int) throws {
        let entries = try #require(try read(Self.forms[form](5_000))).entries
        #expect(entries.count == 5_000)
        var wrong: [DirectoryIndex.Entry] = []
        for (number, entry) in entries.enumerated() {
            let expected = DirectoryIndex.Entry(
                url: try HTTPURL(parsing: "\(Self.page)f\(number)"),
                name: "f\(number)",
                isDirectory: false,
                length: form == 1 ? Int64(number) : nil,
                entityTag: form == 2 ? EntityTag("\"\(number)\"") : nil,
                stamp: ["1:00", "1:00 \(number)", nil][form]
            )
            if entry != expected { wrong.append(entry) }
        }
        #expect(wrong.isEmpty)
    }

    @Test("a URL that comes again among many is no other entry")
    func repeated() throws {
        let listing = "<pre>" + (0..<9_000).map { "<a href=f\($0 % 3_000)>x</a>" }.joined() + "</pre>"
        let names = try #require(try read(listing)).entries.map(\.name)
        #expect(names == (0..<3_000).map { "f\($0)" })
    }

    @Test("a listing with more entries than its bound is too large", arguments: forms.indices)
    func aListingWithTooManyEntriesIsNotReadToItsEnd(_ form: Int) throws {
        let whole = try #require(try read(Self.forms[form](3), upTo: 3))
        #expect(whole.entries.count == 3 && !whole.isTooLarge)
        let larger = try #require(try read(Self.forms[form](9), upTo: 3))
        #expect(larger.entries.count == 4 && larger.isTooLarge)
    }

    @Test("reading stops soon after it is not needed any more", arguments: forms.indices)
    func stopping(_ form: Int) throws {
        var questions = 0
        let index = try read(Self.forms[form](5_000)) {
            questions += 1
            return questions == 3
        }
        #expect(index == nil && questions == 3)
    }

    @Test("one entry with a description of any length is no listing")
    func longDescription() throws {
        let long = String(repeating: "x", count: 2 << 20)
        #expect(try read(#"[{"name": "a", "type": "file", "mtime": "1:00", "more": "\#(long)"}]"#) == nil)
    }

    @Test("the URL of an entry has no userinfo, and its origin is that of the page")
    func urls() throws {
        let url = try HTTPURL(parsing: "https://user:secret@[::1]:8443/a%20b/")
        let index = try #require(DirectoryIndex(Array("<a href=c%7E/>".utf8), type: nil, at: url))
        let entry = try #require(index.entries.first)
        let plain = try HTTPURL(parsing: "https://[::1]:8443/a%20b/c%7E/")
        #expect(entry.url == plain)
        #expect(entry.name == "c~" && entry.isDirectory)
    }
}

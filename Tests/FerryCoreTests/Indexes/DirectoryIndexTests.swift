import FerryCore
import Testing

@Suite("Directory indexes")
struct DirectoryIndexTests {
    private static let page = "http://host:8080/pub/data/"

    private func read(
        _ document: String,
        type: String? = nil,
        at url: String = page
    ) throws -> DirectoryIndex? {
        DirectoryIndex(
            Array(document.utf8),
            type: type.flatMap { MediaType($0) },
            at: try HTTPURL(parsing: url)
        )
    }

    private func entries(_ document: String, at url: String = page) throws -> [DirectoryIndex.Entry] {
        let type = document.first == "[" ? "application/json; charset=utf-8" : nil
        return Array(try #require(try read(document, type: type, at: url)).entries)
    }

    /// Reads one page with these links.
    private func names(_ links: [String], at url: String = page) throws -> [String] {
        let items = links.map { "<li><a href=\"\($0)\">x</a></li>" }
        return try entries("<html><ul>\(items.joined())</ul></html>", at: url).map(\.name)
    }

    @Test("a name that is none is refused and kept for a message, and other links are ignored")
    func refusedNames() throws {
        let links = [
            "a.txt", "..%2Fx", "%2Fetc", "a%00b", "%ff", "../up", "/top", "sub/below", "?C=N", "./",
            "%2e%2e%2f",
        ]
        let items = links.map { "<a href=\"\($0)\">x</a>" }
        let index = try #require(try read("<html>\(items.joined())</html>"))
        #expect(index.entries.map(\.name) == ["a.txt"])
        #expect(index.refused == ["..%2Fx", "%2Fetc", "a%00b", "%ff", "%2e%2e%2f"])
        let many = (0..<1_000).map { "<a href=\"\($0)%2F\">x</a>" }
        #expect(try read("<html>\(many.joined())</html>")?.refused.count == 100)
    }

    @Test("a page without entries is a listing only if it says so")
    func emptyListings() {
        for text in [
            "<title>Index of /pub/</title>", "<H1>INDEX OF /</H1>", "<h1>Directory listing for /pub/</h1>",
        ] {
            #expect(DirectoryIndex.isCalledListing(Array(text.utf8)))
        }
        for text in [
            "", "<title>Log in</title>", "<title>Index</title>",
            String(repeating: " ", count: 5_000) + "index of",
        ] {
            #expect(!DirectoryIndex.isCalledListing(Array(text.utf8)))
        }
    }

    // MARK: Real servers

    static let listings: [(server: String, page: String, hasStamps: Bool)] = [
        ("nginx", ListedPages.nginx, true),
        ("nginx, JSON", ListedPages.nginxJSON, true),
        ("Apache", ListedPages.apache, false),
        ("Apache, fancy", ListedPages.apacheFancy, true),
        ("Apache, table", ListedPages.apacheTable, true),
        ("lighttpd", ListedPages.lighttpd, true),
        ("Caddy, JSON", ListedPages.caddyJSON, true),
        ("Python", ListedPages.python, false),
    ]

    @Test("every server's listing has the same entries", arguments: listings)
    func realServers(_ listing: (server: String, page: String, hasStamps: Bool)) throws {
        let entries = try entries(listing.page)
        let long = String(repeating: "long", count: 20) + ".txt"
        let names = ["#hash?q.txt", "a b+c%.txt", "big.bin", long, "semi;colon:x.txt", "sub", "ü&<q>\"1.txt"]
        #expect(entries.map(\.name).sorted() == names)
        for entry in entries {
            #expect(entry.isDirectory == (entry.name == "sub"))
            #expect(entry.url.absoluteString.hasPrefix(Self.page))
            #expect(entry.url.path.hasSuffix("/") == entry.isDirectory)
            #expect(entry.url.query == nil)
            if !entry.isDirectory { #expect((entry.stamp != nil) == listing.hasStamps, "\(entry)") }
        }
        // No two files have the same remark unless it says the same of them.
        let big = try #require(entries.first { $0.name == "big.bin" })
        if listing.hasStamps {
            #expect(entries.count { $0.stamp == big.stamp } == 1)
            #expect(big.stamp?.contains("03:04") == true)
        }
        #expect(big.length == (listing.server.hasSuffix("JSON") ? 123_456 : nil))
    }

    @Test("the URL of an entry names it as the server does")
    func urls() throws {
        for page in [ListedPages.nginx, ListedPages.nginxJSON, ListedPages.python] {
            let hash = try #require(try entries(page).first { $0.name.hasPrefix("#") })
            #expect(hash.url.absoluteString == Self.page + "%23hash%3Fq.txt")
        }
    }

    // MARK: Links that lead elsewhere

    @Test("only what lies directly in the directory is an entry")
    func elsewhere() throws {
        let harmless = try names([
            "good.txt", "./also.txt", "/pub/data/rooted.txt", "http://host:8080/pub/data/absolute.txt",
            "//host:8080/pub/data/network.txt", "dir/",
        ])
        #expect(harmless == ["good.txt", "also.txt", "rooted.txt", "absolute.txt", "network.txt", "dir"])
        let elsewhere = try names([
            "", "#top", ".", "./", "..", "../", "../other.txt", "../data/", "../../etc/passwd", "/etc/passwd",
            "/pub/data", "/pub/data/", "/pub/database/x", "a/b", "a/b/", "?C=N;O=D", "x?y", "x#y", "x/?y",
            "https://host:8080/pub/data/x", "http://host/pub/data/x", "http://other:8080/pub/data/x",
            "ftp://host/pub/data/x", "file:///etc/passwd", "javascript:x", "mailto:a@b", "s3://bucket/key",
            "%2e%2e", "%2e%2e/", "%2E%2e%2fx", "a%2fb", "%2fetc%2fpasswd", "nul%00", "%", "%ff", "//",
        ])
        // A stray % stands for itself.
        #expect(elsewhere == ["%"])
    }

    @Test("a directory whose path begins like another's is not mixed up with it")
    func neighbours() throws {
        #expect(
            try names(["/pub/datum/x", "/pub/data/x"], at: "http://host:8080/pub/data/index.html") == ["x"]
        )
        #expect(try names(["x", "/y", "/z/w"], at: "http://host:8080/") == ["x", "y"])
        #expect(try names(["x"], at: "http://host:8080/dir?C=N;O=D#top") == ["x"])
    }

    @Test("an entry is listed once")
    func repeated() throws {
        #expect(try names(["x", "./x", "x", "X", "x/"]) == ["x", "X", "x"])
    }

    @Test("names from JSON cannot leave the directory")
    func namesInJSON() throws {
        let names = [
            "..", ".", "", "../x", "/etc/passwd", "a/b", "ok", "a?b", "a#b", "http://other/x", "%2e%2e",
        ]
        let items = names.map { #"{"name": "\#($0)", "type": "file", "mtime": "t", "size": 1}"# }
        let read = try entries("[\(items.joined(separator: ","))]")
        #expect(read.map(\.name) == ["ok", "a?b", "a#b", "%2e%2e"])
        #expect(
            read.map(\.url.path) == ["ok", "a%3Fb", "a%23b", "%252e%252e"].map { "/pub/data/" + $0 }
        )
    }

    @Test("sizes that are none are left out")
    func sizes() throws {
        let sizes = ["-1", "1e3", "1.5", "\"7\"", "null", "99999999999999999999", "0", "9223372036854775807"]
        let items = sizes.enumerated().map {
            #"{"name": "\#($0)", "type": "file", "mtime": "t", "size": \#($1)}"#
        }
        let read = try entries("[\(items.joined(separator: ","))]")
        #expect(read.map(\.length) == [nil, nil, nil, nil, nil, nil, 0, .max])
    }

    // MARK: What is no listing

    @Test(
        "what is no listing is refused",
        arguments: [
            "", "   ", "plain text", "{}", "{\"name\": \"x\"}", "[", "[1]", "[{}]", "[{\"name\": 1}]", "[] x",
        ]
    )
    func refused(_ document: String) throws {
        for type in [nil, "application/json"] { #expect(try read(document, type: type) == nil) }
    }

    @Test("JSON is a listing only as JSON")
    func typesOfJSON() throws {
        for type in [nil, "text/plain", "text/html", "application/octet-stream", "application/jsonp"] {
            for document in ["[]", ListedPages.nginxJSON] {
                #expect(try read(document, type: type) == nil, "\(type ?? "no type")")
            }
        }
        for type in ["application/json", "Application/JSON;charset=utf-8", "application/vnd.x+json"] {
            #expect(try read("[]", type: type)?.entries.isEmpty == true)
            #expect(try read(ListedPages.nginxJSON, type: type)?.entries.count == 7)
        }
    }

    @Test(
        "an array whose objects are not those of nginx or Caddy is no listing",
        arguments: [
            #"{"name": "y"}"#, #"{"name": "y", "error": "x"}"#, #"{"name": "y", "size": 1}"#,
            #"{"name": "y", "type": "file"}"#, #"{"name": "y", "mtime": "t"}"#,
            #"{"name": "y", "type": "error", "mtime": "t"}"#, #"{"name": "y", "type": 1, "mtime": "t"}"#,
            #"{"type": "file", "mtime": "t"}"#, #"{"name": "y", "is_dir": true}"#,
            #"{"name": "y", "url": "./y", "is_dir": "true", "mod_time": "t"}"#,
            #"{"name": "y", "is_dir": false, "mod_time": "t"}"#,
        ]
    )
    func otherObjects(_ object: String) throws {
        let whole = #"{"name": "x", "type": "file", "mtime": "t"}"#
        #expect(try read("[\(whole)]", type: "application/json")?.entries.count == 1)
        #expect(try read("[\(whole), \(object)]", type: "application/json") == nil)
    }

    @Test("a page of another type is no listing")
    func otherTypes() throws {
        #expect(try read(ListedPages.nginx, type: "application/octet-stream") == nil)
        #expect(try read(ListedPages.nginx, type: "text/html; charset=utf-8")?.entries.count == 7)
        #expect(try read("[]", type: "application/json")?.entries.isEmpty == true)
    }

    // MARK: WebDAV

    private func listed(_ responses: String, at url: String = page) throws -> DirectoryIndex? {
        let document = """
            <?xml version="1.0"?><D:multistatus xmlns:D="DAV:" xmlns:x="urn:x">\(responses)</D:multistatus>
            """
        return try DirectoryIndex(multistatus: Array(document.utf8), at: try HTTPURL(parsing: url))
    }

    private func response(_ href: String, _ properties: String, status: String = "HTTP/1.1 200 OK") -> String
    {
        """
        <D:response><D:href>\(href)</D:href><D:propstat><D:prop>\(properties)</D:prop>
        <D:status>\(status)</D:status></D:propstat></D:response>
        """
    }

    @Test("an answer to PROPFIND is read")
    func webDAV() throws {
        let index = try #require(
            try listed(
                response("/pub/data/", "<D:resourcetype><D:collection/></D:resourcetype>")
                    + response(
                        "/pub/data/a%20b",
                        """
                        <D:resourcetype/><D:getcontentlength>12</D:getcontentlength><D:getetag>"e&amp;1"</D:getetag>
                        <D:getlastmodified>Thu, 26 Nov 2026 17:27:08 GMT</D:getlastmodified>
                        <x:getetag>"other"</x:getetag><x:collection/>
                        """
                    )
                    + response(
                        "http://host:8080/pub/data/sub",
                        "<D:resourcetype><D:collection/></D:resourcetype>"
                    )
                    + response("/pub/data/../x", "") + response("/elsewhere", "")
                    + response("/pub/data/sub/deep", "")
            )
        )
        #expect(index.entries.map(\.name) == ["a b", "sub"])
        let file = index.entries[0]
        #expect(file.length == 12 && !file.isDirectory)
        #expect(file.entityTag == EntityTag("\"e&1\""))
        #expect(file.stamp == "Thu, 26 Nov 2026 17:27:08 GMT 12")
        #expect(index.entries[1].isDirectory)
        #expect(index.entries[1].url.path == "/pub/data/sub/")
    }

    @Test("properties that the server does not have are left out")
    func missingProperties() throws {
        let missing = response(
            "/pub/data/x",
            "<D:getcontentlength>7</D:getcontentlength>",
            status: "HTTP/1.1 404 No"
        )
        #expect(try listed(missing)?.entries.map(\.length) == [nil])
        let both = """
            <D:response><D:href>y</D:href>\
            <D:propstat><D:prop><D:getcontentlength>7</D:getcontentlength></D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat>\
            <D:propstat><D:prop><D:getetag/></D:prop><D:status>HTTP/1.1 404 Not Found</D:status></D:propstat></D:response>
            """
        let entry = try #require(try listed(both)?.entries.first)
        #expect(entry.length == 7 && entry.entityTag == nil)
    }

    @Test("XML that is no multistatus is refused")
    func otherXML() throws {
        let url = try HTTPURL(parsing: Self.page)
        #expect(try DirectoryIndex(multistatus: Array("<multistatus/>".utf8), at: url) == nil)
        #expect(try DirectoryIndex(multistatus: Array("<html/>".utf8), at: url) == nil)
        #expect(throws: XMLReader.Refusal.malformed) {
            try DirectoryIndex(multistatus: Array("<D:multistatus xmlns:D='DAV:'>".utf8), at: url)
        }
    }
}

import Ferry
import Testing

@testable import FerryFrontend

/// The documents that name the files of a source.
@Suite struct ManifestTests {
    private static let digest = String(repeating: "0a", count: 32)

    private func manifest(_ text: String, at url: String = "https://h/pub/list.json") throws -> Manifest {
        try Manifest(parsing: Array(text.utf8), at: HTTPURL(parsing: url))
    }

    @Test func membersOfAFileAreRead() throws {
        let text = """
            {"version": 3, "files": [
              {"name": "sub/a b+é%.iso", "size": 9, "checksum": "sha-256=\(Self.digest)", "more": [1, {}]},
              {"url": "../x#top", "name": "x", "etag": "\\"1\\"", "modified": "Monday"},
              {"name": "y", "url": ["//o/y?z=1", "y"]}
            ]}
            """
        let files = try manifest(text).files
        #expect(files.map(\.path) == ["sub/a b+é%.iso", "x", "y"])
        let urls = files.map { $0.urls.map(\.redacted) }
        #expect(urls[0] == ["https://h/pub/sub/a%20b%2B%C3%A9%25.iso"])
        #expect(urls[1] == ["https://h/x"])
        #expect(files[2].urls.count == 2 && files[2].urls[0].host == "o")
        #expect(files[0].version.size == 9 && files[0].version.checksum?.hex == Self.digest)
        #expect(files[1].version == ListedVersion(etag: "\"1\"", stamp: "Monday"))
        #expect(!files[2].version.tellsVersionsApart)
    }

    @Test func anArrayAloneIsAListOfFiles() throws {
        #expect(try manifest(#" [ {"name":"a"} ] "#).files.map(\.path) == ["a"])
        #expect(try manifest("[]").files.isEmpty)
        #expect(try manifest(#"{"files":[]}"#).files.isEmpty)
    }

    /// A part of a document is no evidence that the rest of the files is gone.
    @Test(arguments: [
        "", "{", "{}", "[1]", #"[{}]"#, #"[{"name":""}]"#, #"[{"name":1}]"#, #"[{"name":"a"}"#,
        #"[{"name":"a","size":-1}]"#, #"[{"name":"a","size":"1"}]"#,
        #"[{"name":"a","checksum":"sha-256=0"}]"#,
        #"[{"name":"a","url":"ftp://h/a"}]"#, #"[{"name":"a","url":"s3://b/a"}]"#,
        #"[{"name":"a","url":[]}]"#,
        #"[{"name":"a","url":[1]}]"#, #"[{"name":"a","url":{}}]"#, #"[{"name":"a","etag":1}]"#,
        #"[{"name":"a"},{"name":null}]"#, "<html>", "<metalink/>",
    ])
    func aDocumentIsReadAsAWholeOrNotAtAll(text: String) throws {
        let error = #expect(throws: TransferFailure.self) { try manifest(text) }
        #expect(error?.code == .badResponse && error?.message.contains("https://h/pub/list.json") == true)
    }

    @Test func aManifestOfTooManyFilesOrOfAFileThatIsTooLongIsNotRead() throws {
        let url = try HTTPURL(parsing: "https://h/list.json")
        let three = Array(#"[{"name":"a"},{"name":"b"},{"name":"c"}]"#.utf8)
        let files = try Manifest(parsing: three, at: url, upTo: 3).files
        #expect(files.map(\.path) == ["a", "b", "c"])
        let many = #expect(throws: TransferFailure.self) { try Manifest(parsing: three, at: url, upTo: 2) }
        #expect(many?.message.contains("more than 2 files") == true)
        let urls = Array(repeating: "\"x\"", count: 300_000).joined(separator: ",")
        let long = #expect(throws: TransferFailure.self) {
            try manifest("[{\"name\":\"a\",\"url\":[\(urls)]}]")
        }
        #expect(long?.message.contains("longer than 1 MiB") == true)
        let stopped = #expect(throws: TransferFailure.self) {
            try Manifest(parsing: three, at: url, isStopped: { true })
        }
        #expect(stopped?.message.contains("stopped") == true)
    }

    @Test func onlyTheFirstArrayOfFilesCounts() throws {
        let text = #"{"more": {"files": [{"name": "no"}]}, "fil\u0065s": [{"name": "a"}], "files": []}"#
        #expect(try manifest(text).files.map(\.path) == ["a"])
    }

    @Test func aMetalinkKeepsItsFolders() throws {
        let text = """
            <metalink xmlns="urn:ietf:params:xml:ns:metalink"><file name="sub/a.iso"><size>4</size>
            <hash type="sha-256">\(Self.digest)</hash><url priority="2">http://b/a</url><url priority="1">http://a/a</url>
            </file></metalink>
            """
        let file = try #require(try manifest(text).files.first)
        #expect(file.path == "sub/a.iso" && file.urls.map(\.host) == ["a", "b"])
        #expect(file.version.size == 4 && file.version.checksum?.hex == Self.digest)
        let bare = text.replacing(
            "<url priority=\"2\">http://b/a</url><url priority=\"1\">http://a/a</url>",
            with: ""
        )
        #expect(throws: TransferFailure.self) { try manifest(bare) }
    }
}

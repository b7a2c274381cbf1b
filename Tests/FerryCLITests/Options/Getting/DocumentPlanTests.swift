import ArgumentParser
import Ferry
import FerryTesting
import Foundation
import Synchronization
import Testing

@testable import FerryCLI
@testable import FerryFrontend

/// Plans that need documents: the requests, their secrets, and the resulting transfers.
@Suite struct DocumentPlanTests {
    /// Serves documents from memory, and records the requests for them.
    private final class DocumentServer: Sendable {
        let documents: [String: String]
        let asked = Mutex<[(url: String, options: DownloadOptions, limit: Int)]>([])

        init(_ documents: [String: String]) {
            self.documents = documents
        }

        var fetch: DocumentFetch {
            DocumentFetch { url, limit, options in
                self.asked.withLock { $0.append((url.absoluteString, options, limit)) }
                guard let text = self.documents[url.absoluteString] else {
                    throw TransferFailure(.notFound, "There is nothing at \(url.redacted) (404).")
                }
                guard text != "503" else {
                    throw TransferFailure(.serverOverloaded, "\(url.host) is overloaded (503).")
                }
                return Array(text.utf8)
            }
        }

        var urls: [String] { asked.withLock { $0.map(\.url) } }
        func options(at url: String) -> DownloadOptions? {
            asked.withLock { asked in asked.first { $0.url == url }?.options }
        }
    }

    private static let one = String(repeating: "1", count: 64)
    private static let two = String(repeating: "2", count: 64)

    private static func metalink(_ files: String) -> String {
        "<?xml version=\"1.0\"?><metalink xmlns=\"urn:ietf:params:xml:ns:metalink\">\(files)</metalink>"
    }

    private static func file(_ name: String, _ urls: [String], more: String = "") -> String {
        "<file name=\"\(name)\">\(more)"
            + urls.enumerated().map { "<url priority=\"\($0 + 1)\">\($1)</url>" }.joined() + "</file>"
    }

    private func plan(
        _ words: [String],
        _ server: DocumentServer = DocumentServer([:]),
        files: [String: String] = [:]
    ) async throws -> DownloadPlan {
        let directory = NSTemporaryDirectory() + "ferry-plan-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(atPath: directory) } }
        for (name, text) in files {
            let path = directory + "/" + name
            try Data(text.utf8).write(to: URL(fileURLWithPath: path))
            // As a file of passwords has to be.
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        }
        let arguments = words.map { files[$0] == nil ? $0 : directory + "/" + $0 }
        var plan = try DownloadPlan(
            GetCommand.parse(arguments).input.download,
            environment: Sample.environment
        )
        if !plan.isComplete { try await plan.complete(server.fetch) }
        return plan
    }

    private func failure(
        _ words: [String],
        _ server: DocumentServer = DocumentServer([:]),
        files: [String: String] = [:]
    ) async throws -> CommandFailure {
        try await #require(throws: CommandFailure.self) { try await plan(words, server, files: files) }
    }

    // MARK: Metalinks

    @Test(arguments: ["m.meta4", "https://docs.example/m.meta4"])
    func eachFileOfAMetalinkIsATransferWithAllThatItTells(_ place: String) async throws {
        let pieces =
            "<size>3</size><hash type=\"sha-1\">\(String(repeating: "3", count: 40))</hash>"
            + "<hash type=\"sha-256\">\(Self.one)</hash><pieces type=\"sha-256\" length=\"2\">"
            + "<hash>\(Self.one)</hash><hash>\(Self.two)</hash></pieces>"
        let text = Self.metalink(
            Self.file("a.iso", ["https://one.example/x", "https://two.example/y"], more: pieces)
                + Self.file("dir/b.iso", ["http://three.example/z"])
        )
        let server = DocumentServer(["https://docs.example/m.meta4": text])
        let words = [
            "--metalink", place, "-d", "/tmp", "--priority", "7", "--overwrite", "https://u.example/u",
        ]
        let plan = try await plan(words, server, files: ["m.meta4": text])
        #expect(plan.warnings.isEmpty)
        #expect(
            try plan.transfers.map(\.specification.url.absoluteString) == [
                "https://u.example/u", "https://one.example/x", "http://three.example/z",
            ]
        )
        #expect(try plan.transfers.map(\.priority) == [7, 7, 7])
        let options = try plan.transfers.map(\.specification.options)
        #expect(options.map(\.existingFile) == [.overwrite, .overwrite, .overwrite])
        #expect(options.map { $0.mirrors.map(\.absoluteString) } == [[], ["https://two.example/y"], []])
        #expect(options.map(\.length) == [nil, 3, nil])
        #expect(options.map(\.checksum?.hex) == [nil, Self.one, nil])
        #expect(options.map(\.pieces?.checksums.count) == [nil, 2, nil])
        #expect(options.map(\.root) == [nil, nil, "/tmp"], "the document has named the folder")
        #expect(
            try plan.transfers.map(\.specification.destination) == [
                .file(directory: "/tmp", name: nil),
                .file(directory: "/tmp", name: try FileName(userGiven: "a.iso")),
                .file(directory: "/tmp/dir", name: try FileName(userGiven: "b.iso")),
            ]
        )
        #expect(server.urls == (place == "m.meta4" ? [] : [place]))
    }

    /// The digests in a list are those of the bytes in clear, under the names that these have.
    @Test(arguments: ["a.iso", "x"])
    func aSealedFileOfAMetalinkHasItsNameWithAnEnding(listed: String) async throws {
        let text = Self.metalink(Self.file("a.iso", ["https://one.example/x"]))
        let sums = "\(Self.one)  \(listed)\n\(Self.two)  a.iso.age\n"
        let words = [
            "--metalink", "m", "-d", "/tmp", "--seal-to", SealingIdentity().recipient, "--checksum-file",
            "sums",
        ]
        let plan = try await plan(words, files: ["m": text, "sums": sums])
        let download = try #require(try plan.transfers.first).specification
        #expect(download.destination == .file(directory: "/tmp", name: try FileName(userGiven: "a.iso.age")))
        #expect(download.options.checksum?.hex == Self.one)
    }

    @Test func anOutputRenamesTheOnlyFileOfAMetalink() async throws {
        let text = Self.metalink(Self.file("a.iso", ["https://one.example/x"]))
        let plan = try await plan(["--metalink", "m", "-o", "/tmp/other"], files: ["m": text])
        #expect(
            try plan.transfers.map(\.specification.destination)
                == [.file(directory: "/tmp", name: try FileName(userGiven: "other"))]
        )
    }

    @Test(arguments: [
        ("<metalink/>", "not a Metalink of version 4"), ("nonsense", "not well-formed"),
        (metalink(""), "names no file"), (metalink(file("../a", ["https://h/"])), "leads elsewhere"),
        (metalink(file("a.iso", ["ftp://one.example/a"])), "no HTTP URL for a.iso"),
        (metalink(file("a", ["https://h/1"]) + file("a", ["https://h/2"])), "saved as a"),
        (metalink(file("a", ["https://h/1"]) + file("b", ["https://h/2"])), "-o names one file"),
    ])
    func aMetalinkThatIsNoneIsRefusedByItsName(_ text: String, _ reason: String) async throws {
        let output = reason.hasPrefix("-o") ? ["-o", "x"] : []
        let here = try await failure(["--metalink", "m.meta4"] + output, files: ["m.meta4": text])
        let url = "https://me:hunter2@docs.example/m.meta4?token=tok3n"
        let there = try await failure(["--metalink", url] + output, DocumentServer([url: text]))
        for failure in [here, there] {
            #expect(failure.status == .usage && failure.message.contains(reason), "\(failure)")
            #expect(!failure.message.contains("hunter2") && !failure.message.contains("tok3n"))
        }
        if !reason.contains("saved as"), !reason.contains("-o") {
            #expect(here.message.contains("m.meta4"))
            #expect(there.message.contains("https://docs.example/m.meta4?token=…"))
        }
    }

    @Test func aDigestOfTheUsersGoesBeforeThatOfTheMetalinkUnlessTheyContradictEachOther() async throws {
        let more = "<hash type=\"sha-256\">\(Self.one)</hash>"
        let text = Self.metalink(Self.file("a.iso", ["https://one.example/x"], more: more))
        let own = "sha1=" + String(repeating: "4", count: 40)
        let plan = try await plan(["--metalink", "m", "--checksum", own], files: ["m": text])
        #expect(try plan.transfers.map(\.specification.options.checksum?.algorithm) == [.sha1])
        let words = ["--metalink", "m", "--checksum", "sha256=\(Self.two)"]
        let failure = try await failure(words, files: ["m": text])
        #expect(failure.status == .usage)
        #expect(failure.message.contains(Self.one) && failure.message.contains(Self.two))
        let files = ["m": text, "sums": "\(Self.two)  a.iso\n"]
        let listed = try await self.failure(["--metalink", "m", "--checksum-file", "sums"], files: files)
        #expect(listed.message.contains(Self.one) && listed.message.contains(Self.two))
        let server = DocumentServer(["https://s.example/sums": "\(Self.two)  a.iso\n"])
        let fetched = ["--metalink", "m", "--checksum-file", "https://s.example/sums"]
        #expect(try await self.failure(fetched, server, files: files).message == listed.message)
    }

    @Test func whatWasBegunFromAnotherAddressGoesOnFromThere() async throws {
        let urls = ["https://docs.example/1", "https://two.example/2", "https://three.example/3"]
        let more = "<hash type=\"sha-256\">\(Self.one)</hash>"
        let server = DocumentServer([
            "https://docs.example/m": Self.metalink(Self.file("a", urls, more: more))
        ])
        let words = ["--metalink", "https://docs.example/m", "-d", "/data"] + Self.secrets
        let plan = try await plan(words, server)
        func known(_ url: String, _ state: TransferState, name: String = "a") throws -> Transfer {
            var transfer = try Sample.transfer(url: url, name: nil, state: state)
            transfer.specification.destination = .file(
                directory: "/data",
                name: try FileName(userGiven: name)
            )
            return transfer
        }
        func goneOn(_ transfers: [Transfer]) throws -> DownloadSpecification {
            var plan = plan
            try plan.useURLs(of: transfers)
            #expect(try plan.transfers[0].specification.options.checksum?.hex == Self.one)
            return try plan.transfers[0].specification
        }
        let other = try goneOn([known(urls[0], .completed), known(urls[2], .paused)])
        #expect(other.url.absoluteString == urls[2])
        #expect(other.options.mirrors.map(\.absoluteString) == [urls[0], urls[1]])
        #expect(!other.options.hasSecrets, "what the first address may see, the other may not")
        #expect(try goneOn([known(urls[1], .completed)]).url.absoluteString == urls[1])
        let unchanged = try plan.transfers[0].specification
        #expect(unchanged.options.hasSecrets)
        #expect(try goneOn([known(urls[2], .paused), known(urls[0], .paused)]) == unchanged)
        #expect(try goneOn([known("https://four.example/4", .paused)]) == unchanged)
        #expect(try goneOn([known(urls[1], .paused, name: "b")]) == unchanged)
        #expect(try goneOn([]) == unchanged)
        var former = try known(urls[1], .waiting(.network))
        former.specification.options.mirrors = try ["https://gone.example/", urls[2]].map {
            try HTTPURL(parsing: $0)
        }
        #expect(
            try goneOn([former]).options.mirrors.map(\.absoluteString) == [urls[0], urls[2]],
            "what the document does not name any more is not asked"
        )
        former.state = .completed
        #expect(try goneOn([former]).options.mirrors.map(\.absoluteString) == [urls[0], urls[2]])
        #expect(plan.describedSpecifications.map(\.url.absoluteString) == urls)
        #expect(Set(plan.describedSpecifications.map(\.destination)) == [unchanged.destination])
    }

    // MARK: Secrets

    private static let secrets = ["-H", "X-Api: k", "--user", "me:pw", "-H", "User-Agent: mine"]

    private func carriesSecrets(_ options: DownloadOptions?) -> Bool? {
        options.map(\.hasSecrets)
    }

    @Test func secretsStayWithTheServerOfTheMetalinkThatWasNamed() async throws {
        let text = Self.metalink(
            Self.file("a", ["https://docs.example/a"]) + Self.file("b", ["https://evil.example/b"])
                + Self.file("c", ["http://docs.example/c"]) + Self.file("d", ["https://docs.example:444/d"])
        )
        let url = "https://docs.example/m.meta4"
        let server = DocumentServer([url: text])
        let plan = try await plan(["--metalink", url] + Self.secrets, server)
        #expect(carriesSecrets(server.options(at: url)) == true)
        let carried = try plan.transfers.map { carriesSecrets($0.specification.options) }
        #expect(carried == [true, false, false, false])
        #expect(try plan.transfers[1].specification.options.headers.map(\.name) == ["User-Agent"])
        #expect(plan.warnings.count == 1 && plan.warnings[0].contains("docs.example"))
    }

    @Test(arguments: [
        ("https://a.example/sums", true), ("https://b.example/sums", false), ("http://a.example/sums", false),
    ])
    func secretsGoToTheServerOfTheChecksumsOnlyWhereItIsThatOfADownload(
        url: String,
        isSame: Bool
    ) async throws {
        let server = DocumentServer([url: "\(Self.one)  f\n"])
        let plan = try await plan(["https://a.example/f", "--checksum-file", url] + Self.secrets, server)
        #expect(carriesSecrets(server.options(at: url)) == isSame)
        #expect(try plan.transfers.map { carriesSecrets($0.specification.options) } == [true])
        #expect(try plan.transfers.map(\.specification.options.checksum?.hex) == [Self.one])
    }

    // MARK: Digests beside the download

    @Test(arguments: [".sha256", ".sha512", ".sha1", ".md5"])
    func theFirstDigestThatIsThereCounts(_ suffix: String) async throws {
        let url = "https://me:pw@a.example/dir/f.iso"
        let lengths = [".sha256": 64, ".sha512": 128, ".sha1": 40, ".md5": 32]
        let hex = String(repeating: "a", count: try #require(lengths[suffix]))
        var documents = [url + ".md5?k=1": String(repeating: "b", count: 32)]
        documents[url + suffix + "?k=1"] = hex + "\n"
        let server = DocumentServer(documents)
        let plan = try await plan([url + "?k=1#part", "--checksum-sidecar", "--user", "me:pw"], server)
        #expect(try plan.transfers.map(\.specification.options.checksum?.hex) == [hex])
        let asked = [".sha256", ".sha512", ".sha1", ".md5"].prefix { $0 != suffix } + [suffix]
        #expect(server.urls == asked.map { url + $0 + "?k=1" })
        #expect(carriesSecrets(server.options(at: server.urls[0])) == true, "it is the same server")
    }

    @Test func withoutADigestBesideItNothingIsPlanned() async throws {
        let words = ["https://a.example/f", "--checksum-sidecar"]
        let none = try await failure(words)
        #expect(none.status == .notFound && none.hint?.contains("--checksum") == true)
        // A digest by a weaker algorithm is no way around a server that fails.
        let failing = DocumentServer([
            "https://a.example/f.sha256": "503", "https://a.example/f.md5": Self.two,
        ])
        #expect(try await failure(words, failing).status == .serverOverloaded)
        #expect(failing.urls.count == 1)
        let page = DocumentServer(["https://a.example/f.sha256": "<html>Not here</html>"])
        #expect(try await failure(words, page).status == .usage)
        let other = DocumentServer(["https://a.example/f.sha256": "\(Self.one)  g\n"])
        #expect(try await failure(words, other).message.contains("https://a.example/f.sha256"))
        #expect(try await failure(["https://a.example/", "--checksum-sidecar"]).status == .usage)
    }

    @Test func manyDownloadsGetEachItsOwnDigestAndOneWithItsOwnNeedsNone() async throws {
        let names = (100..<130).map(String.init)
        let digests = names.map { String(repeating: "0", count: 61) + $0 }
        var documents: [String: String] = [:]
        for (name, digest) in zip(names, digests) { documents["https://a.example/\(name).sha256"] = digest }
        let server = DocumentServer(documents)
        let list =
            names.map { "https://a.example/\($0)\n" }.joined()
            + "https://a.example/own\n checksum=sha256=\(Self.one)\n"
        let plan = try await plan(["-i", "list", "--checksum-sidecar"], server, files: ["list": list])
        #expect(try plan.transfers.map(\.specification.options.checksum?.hex) == digests + [Self.one])
        #expect(server.urls.count == names.count)
    }

    // MARK: All of them

    @Test(arguments: [
        [
            "--checksum", "sha1=" + String(repeating: "0", count: 40), "--checksum-sidecar",
            "https://a.example/f",
        ],
        ["--checksum-file", "/etc/hostname", "--checksum-sidecar", "https://a.example/f"],
        ["--metalink", ""], ["--metalink", "http://"], ["--metalink", "https://h:x/"],
        ["--metalink", "-", "--metalink", "-"], ["--metalink", "-", "-i", "-"],
        ["--seal-to-file", "-", "-i", "-"],
        ["--metalink", "-", "--checksum-file", "-"], ["--checksum-file", "https://", "https://a.example/f"],
        ["--metalink", "https://m.example/", "--mirror", "https://b.example/"],
        ["--metalink", "https://m.example/", "-o", ""], ["--metalink", "/etc/hostname"],
    ])
    func whatMakesNoSenseIsRefusedBeforeAnythingIsAskedFor(_ words: [String]) async throws {
        let server = DocumentServer([:])
        #expect(try await failure(words, server).status == .usage)
        #expect(server.urls.isEmpty)
    }

    @Test func theWayThereIsNamedWithoutSecretsWhenADocumentDoesNotCome() async throws {
        let url = "https://me:hunter2@docs.example/m.meta4?sig=s1gned"
        for words in [["--metalink", url], ["https://a.example/f", "--checksum-file", url]] {
            let missing = try await failure(words)
            #expect(missing.status == .notFound)
            #expect(missing.message.contains("https://docs.example/m.meta4?sig=…"))
            #expect(missing.message.contains("Nothing was downloaded or added."))
            #expect(!"\(missing)".contains("hunter2") && !"\(missing)".contains("s1gned"))
            let busy = try await failure(words, DocumentServer([url: "503"]))
            #expect(busy.status == .serverOverloaded && busy.hint == "Repeat the command to try again.")
        }
        #expect(try await failure(["--metalink", "/nonexistent/m.meta4"]).status == .cannotOpen)
    }

    @Test func documentsAreAskedForAsDownloadsAre() async throws {
        let urls = ["https://a.example/m", "https://a.example/s"]
        let server = DocumentServer([
            urls[0]: Self.metalink(Self.file("f", ["https://a.example/f"])), urls[1]: "\(Self.one)  f\n",
        ])
        let words = [
            "--metalink", urls[0], "--checksum-file", urls[1], "--proxy", "socks5h://p:1", "--timeout", "3",
            "--insecure", "--max-redirects", "2", "--allow-downgrade", "--netrc-file", "netrc",
        ]
        let netrc = "machine a.example login me password pw\n"
        let options = try await plan(words, server, files: ["netrc": netrc]).transfers.map(
            \.specification.options
        )
        #expect(options.first?.credentials == .basic(user: "me", password: "pw"))
        #expect(options.first?.connection.proxy?.host == "p" && options.first?.redirectLimit == 2)
        for url in urls {
            let asked = try #require(server.options(at: url))
            #expect(asked.connection == options.first?.connection && asked.proxies == options.first?.proxies)
            #expect(asked.credentials == options.first?.credentials)
            #expect(asked.redirectLimit == 2 && asked.allowsDowngrade)
        }
    }

    @Test func fetchedListsMayBeShorterThanMetalinks() async throws {
        let server = DocumentServer([
            "https://m.example/": Self.metalink(Self.file("f", ["https://a.example/f"])),
            "https://s.example/": "\(Self.one)  f\n",
        ])
        _ = try await plan(
            ["--metalink", "https://m.example/", "--checksum-file", "https://s.example/"],
            server
        )
        #expect(server.asked.withLock { $0.map(\.limit) } == [16 << 20, 1 << 20])
    }

    @Test func standardOutputIsKnownBeforeAnythingIsFetched() throws {
        let words = ["--metalink", "https://m.example/", "-o", "-"]
        let plan = try DownloadPlan(GetCommand.parse(words).input.download, environment: Sample.environment)
        #expect(plan.usesStandardOutput && !plan.isEmpty && !plan.isComplete)
    }
}

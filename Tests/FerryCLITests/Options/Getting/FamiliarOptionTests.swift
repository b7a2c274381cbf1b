import ArgumentParser
import Ferry
import FerryTesting
import Foundation
import Testing

@testable import FerryCLI
@testable import FerryFrontend

/// What those type who are used to curl and wget.
@Suite("Familiar options")
struct FamiliarOptionTests {
    private static let url = "https://example.org/a.iso"

    private func plan(_ words: [String]) throws -> DownloadPlan {
        let words = try Invocation.arranged(["get"] + words).dropFirst()
        return try DownloadPlan(
            GetCommand.parse(Array(words)).input.download,
            environment: Sample.environment
        )
    }

    private func specifications(_ words: [String]) throws -> [DownloadSpecification] {
        try plan(words).transfers.map(\.specification)
    }

    /// What a line with nothing but the URL asks for.
    private static let plain: Result<[DownloadSpecification], any Error> = Result {
        try FamiliarOptionTests().specifications([url])
    }

    @Test(
        "what ferry does anyway is accepted",
        arguments: [
            "-c", "-C -", "-C-", "--continue-at -", "-L", "-f", "-O", "-OJ", "-S", "-fsSLO", "-s", "--silent",
            "--location --fail", "--keep-session-cookies", "--remote-name-all", "--content-disposition",
            "--fail-with-body", "--tlsv1", "--tlsv1.2", "--netrc", "--netrc-optional",
        ]
    )
    func accepts(_ text: String) throws {
        let words = text.split(separator: " ").map(String.init)
        #expect(try specifications(words + [Self.url]) == Self.plain.get())
    }

    @Test("what they mean elsewhere is refused", arguments: ["-C 100 URL", "-O a.iso URL"])
    func refuses(_ text: String) {
        let words = text.replacing("URL", with: Self.url).split(separator: " ").map(String.init)
        #expect(throws: (any Error).self) { try plan(words) }
    }

    @Test(
        "what ferry does anyway is accepted by those that send",
        arguments: [
            "-s", "-S", "-f", "-L", "-sSfL", "--location --fail", "--show-error", "--fail-with-body",
            "--tlsv1.2", "--netrc",
        ]
    )
    func acceptsInSending(_ text: String) throws {
        let words = text.split(separator: " ").map(String.init)
        let line = try Invocation.arranged(["put"] + words + ["/f", Self.url])
        let put = try #require(try FerryCommand.parseAsRoot(line) as? PutCommand)
        #expect(put.putting.words == ["/f", Self.url])
        let request = try Invocation.arranged(["send"] + words + ["GET", Self.url])
        let send = try #require(try FerryCommand.parseAsRoot(request) as? SendCommand)
        #expect(send.sending.method == "GET" && send.sending.url == Self.url)
    }

    @Test(
        "curl's -sS is accepted by every command, also before it",
        arguments: [
            ["run"], ["resume", "1"], ["resume", "--all"], ["retry", "1"], ["list"], ["show", "1"],
            ["queue", "list"], ["mirror", "https://example.org/", "/d"],
        ]
    )
    func acceptsShowError(_ line: [String]) throws {
        for flags in [["-S"], ["-sS"], ["-s", "--show-error"]] {
            for words in [line + flags, flags + line] {
                #expect(throws: Never.self, "\(words)") {
                    try FerryCommand.parseAsRoot(Invocation.arranged(words))
                }
            }
        }
        let list = try #require(try FerryCommand.parseAsRoot(["list", "-sS"]) as? ListCommand)
        #expect(list.global.quiet)
    }

    @Test("--retry is --retries, and -F is --form")
    func otherNames() throws {
        for command in ["get", "add", "put", "send"] {
            let words =
                command == "send" ? ["GET", Self.url] : command == "put" ? ["/f", Self.url] : [Self.url]
            let parsed = try FerryCommand.parseAsRoot(
                try Invocation.arranged([command, "--retry", "3"] + words)
            )
            let retries =
                switch parsed {
                case let get as GetCommand: get.connection.retries
                case let add as AddCommand: add.connection.retries
                case let put as PutCommand: put.connection.retries
                case let send as SendCommand: send.connection.retries
                default: nil as Int?
                }
            #expect(retries == 3, "\(command)")
        }
        for words in [["-F", "a=b"], ["-Fa=b"], ["--form", "a=b"]] {
            let line = try Invocation.arranged(["send", "POST", Self.url] + words)
            let send = try #require(try FerryCommand.parseAsRoot(line) as? SendCommand)
            #expect(send.sending.form == ["a=b"])
        }
    }

    @Test("short names stand for the long ones")
    func shortNames() throws {
        let short = [
            "-u", "a:b", "-A", "agent", "-e", "https://r/", "-k", "-N", "-r", "0-9", "-u=a:b", "-Aagent",
        ]
        let long = [
            "--user", "a:b", "--user-agent", "agent", "--referer", "https://r/", "--insecure", "--update",
            "--range", "0-9",
        ]
        let options = try #require(try specifications(short + [Self.url]).first?.options)
        #expect(try options == specifications(long + [Self.url]).first?.options)
        #expect(options.headers.contains { $0.name == "Referer" && $0.value == "https://r/" })
        #expect(options.updates && options.range == ByteRange("0-9"))
        #expect(throws: (any Error).self) { try plan(["-e", "a\r\nX: y", Self.url]) }
    }

    @Test("a host with a path is enough, also for a mirror")
    func bareHost() throws {
        let specification = try #require(
            try specifications(["example.org/a.iso", "--mirror", "mirror.example.net/a.iso"]).first
        )
        #expect(specification.url.absoluteString == Self.url)
        #expect(specification.options.mirrors.map(\.absoluteString) == ["https://mirror.example.net/a.iso"])
    }

    @Test("a URL of the command line may stand for several")
    func globs() throws {
        let found = try specifications(["example.org/{a,b}[1-2].iso", "https://[::1]/x"]).map(
            \.url.absoluteString
        )
        let expected = ["a1", "a2", "b1", "b2"].map { "https://example.org/\($0).iso" }
        #expect(found == expected + ["https://[::1]/x"])
        for words in [["-g"], ["--no-glob"], ["--globoff"]] {
            #expect(try specifications(words + ["https://example.org/{a,b}"]).count == 1)
        }
        #expect(try specifications(["s3://bucket/{a,b}"]).count == 1)
        #expect(throws: CommandFailure.self) { try plan([Self.url, "https://example.org/[1-100000]"]) }
    }

    @Test(
        "what is for one URL is refused for the URLs of a glob",
        arguments: [
            ["--mirror", "https://m/a"], ["--version-id", "v"],
            ["--checksum", "sha256=" + String(repeating: "0", count: 64)],
            ["-o", "name"],
        ]
    )
    func refusesGlobs(_ words: [String]) throws {
        for text in ["https://example.org/{a,b}", "example.org/[1-2]"] {
            #expect(throws: CommandFailure.self) { try plan(words + [text]) }
        }
    }

    @Test(
        "no message quotes a URL that cannot be read",
        arguments: ["s3cr3t@h/[", "//u:s3cr3t@h/[2-1]", "http:///u:s3cr3t@h/{", "https://u:pa?s3cr{3t@h/f"]
    )
    func quotesNothing(_ text: String) throws {
        let failure = #expect(throws: CommandFailure.self) { try plan([text]) }
        let said = "\(failure?.message ?? "") \(failure?.hint ?? "")"
        #expect(!said.contains("s3cr") && said.contains("URL 1"), "\(said)")
    }

    @Test("a field of -H takes the place of -A and -e, as in curl")
    func fieldsGoFirst() throws {
        let words = ["-A", "a", "-e", "https://r/", "-H", "user-agent: b", "-H", "REFERER: c", Self.url]
        let headers = try #require(try specifications(words).first?.options.headers)
        #expect(headers.map(\.value).sorted() == ["b", "c"])
    }

    @Test("--compressed is accepted, and changes nothing")
    func compressed() throws {
        #expect(try specifications(["--compressed", Self.url]) == Self.plain.get())
    }

    @Test(
        "a coding that is asked for has no effect, and a warning says so",
        arguments: [
            ("Accept-Encoding: br", true), ("accept-encoding:gzip, br", true),
            ("Accept-Encoding: identity", false), ("Accept: br", false),
        ]
    )
    func codings(_ field: String, _ warns: Bool) throws {
        let plan = try plan(["-H", field, Self.url])
        #expect(
            plan.warnings.contains(where: { $0.contains("Accept-Encoding") }) == warns,
            "\(plan.warnings)"
        )
    }

    // MARK: wget's -A

    @Test(
        "wget's list of files to accept is not sent as User-Agent",
        arguments: ["*.iso", "jpg,png", ".jpg,.png", "a?.zip", "*", "iso,tar,zip"]
    )
    func acceptLists(_ text: String) throws {
        for words in [["-A", text], ["--user-agent", text], ["-A\(text)"]] {
            let failure = #expect(throws: CommandFailure.self) { try plan(words + [Self.url]) }
            #expect(failure?.status == .usage && failure?.message.contains("User-Agent") == true)
            #expect(failure?.hint?.contains("--include PATTERN") == true)
        }
        let sent = try specifications(["-H", "User-Agent: \(text)", Self.url]).first?.options.headers
        #expect(sent?.map(\.value) == [text], "any text can be sent")
    }

    @Test(
        "the name of an agent is sent as it is",
        arguments: [
            "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko)", "curl/8.5.0", "agent",
            "a,b c", "Wget/1.21,x", "jpg", "my-agent,other-agent", "Agent (+https://e.example/?a=*)",
        ]
    )
    func agents(_ text: String) throws {
        let headers = try specifications(["-A", text, Self.url]).first?.options.headers
        #expect(headers?.map(\.value) == [text])
    }

    // MARK: Directories

    private func inDirectory(_ body: (String) throws -> Void) throws {
        let root = try #require(FileManager.default.temporaryDirectory.path.withCString { realpath($0, nil) })
        defer { free(root) }
        let path = "\(String(cString: root))/ferry-familiar-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(atPath: path) } }
        try body(path)
    }

    private func directories(_ words: [String]) throws -> [String?] {
        try specifications(words).map {
            guard case .file(let directory, nil) = $0.destination else { return nil }
            return directory
        }
    }

    @Test("-o may name a directory, as with cp, also for several downloads")
    func outputDirectory() throws {
        try inDirectory { (root: String) throws in
            let both = [Self.url, "https://example.org/b"]
            #expect(try directories(["-o", root] + both) == [root, root])
            #expect(try directories(["-o", "\(root)/", Self.url]) == [root])
            #expect(try directories(["-d", root, "-o", ".", Self.url]) == [root])
            #expect(try directories(["-d", root, "-o", "new/", Self.url]) == ["\(root)/new"])
            #expect(throws: CommandFailure.self) { try plan(["-o", "\(root)/file"] + both) }
            #expect(try directories(["-o", "\(root)/file", Self.url]) == [nil])
        }
    }

    @Test("--create-dirs makes the directories that were named, and nothing without it")
    func createsDirectories() throws {
        try inDirectory { (root: String) throws in
            let words = ["-d", "\(root)/a/b", "-o", "c/d.iso", Self.url]
            try plan(words).makeFolders()
            #expect(!FileManager.default.fileExists(atPath: "\(root)/a"))
            for _ in 0..<2 { try plan(["--create-dirs"] + words).makeFolders() }
            var isDirectory: ObjCBool = false
            #expect(FileManager.default.fileExists(atPath: "\(root)/a/b/c", isDirectory: &isDirectory))
            #expect(isDirectory.boolValue && !FileManager.default.fileExists(atPath: "\(root)/a/b/c/d.iso"))

            let list = "\(root)/list"
            try "https://h/1\n out=x/1\nhttps://h/2\n dir=\(root)/y/z\n".write(
                toFile: list,
                atomically: false,
                encoding: .utf8
            )
            try plan(["--create-dirs", "-d", root, "-i", list]).makeFolders()
            for path in ["x", "y/z"] {
                #expect(FileManager.default.fileExists(atPath: "\(root)/\(path)"), "\(path)")
            }
            // A stream needs no directory.
            try plan(["--create-dirs", "-d", "\(root)/s", "-o", "-", Self.url]).makeFolders()
            #expect(!FileManager.default.fileExists(atPath: "\(root)/s"))
            // A file is in the way.
            #expect(throws: CommandFailure.self) {
                try plan(["--create-dirs", "-d", "\(list)/x", Self.url]).makeFolders()
            }
        }
    }
}

import ArgumentParser
import Ferry
import FerryCore
import Foundation
import Glibc
import HTTPTypes
import Testing

@testable import FerryCLI
@testable import FerryFrontend

/// What a `ferry send` line asks for.
@Suite struct RequestPlanTests {
    static let url = "https://api.example/orders"
    static let uuid = TransferUUID(bytes: Array(0..<16))

    private func plan(
        _ words: [String],
        _ environment: ProcessEnvironment = Sample.environment
    ) throws -> RequestPlan {
        let command = try SendCommand.parse(words)
        let settings = try Settings(environment, file: nil)
        return try command.plan(uuid: #require(Self.uuid), settings: settings, environment: environment)
    }

    private func request(_ words: String...) async throws -> RequestSpecification {
        try #require(try await transfer(words).work.request).specification
    }

    private func transfer(_ words: [String]) async throws -> NewTransfer {
        try await plan(words).transfer(Self.preparation)
    }

    /// Pins any file, reads pipes whole, and takes the length of a body for its digests.
    static let preparation = RequestPreparation { path in
        PinnedFile(path: path, entry(length: try FileReader.check(path)))
    } copy: { pipe, uuid in
        var bytes: [UInt8] = []
        for try await part in pipe { bytes += part }
        let file = PinnedFile(path: "\(uuid)", entry(length: Int64(bytes.count)), isCopy: true)
        return StoredBody(file)
    } digests: { body, algorithms in
        algorithms.map { Checksum(algorithm: $0, digest: [UInt8(body.length), 255]) }
    } uuid: {
        try uuid(of: $0)
    }

    /// The UUID of an earlier transfer.
    static func uuid(of id: TransferID) throws -> TransferUUID {
        try #require(TransferUUID(bytes: Array(repeating: UInt8(id.rawValue), count: 16)))
    }

    static func entry(length: Int64) -> FileSurvey.Entry {
        FileSurvey.Entry(
            identity: FileIdentity(device: 1, inode: 2),
            length: length,
            kind: .file,
            modified: 3
        )
    }

    private func failure(_ words: String...) -> CommandFailure? {
        #expect(throws: CommandFailure.self, "\(words)") { try plan(words) }
    }

    @Test func valuesOfEarlierResponses() async throws {
        let uuid = "01890a5d-ac96-774b-bcce-b302099a8057"
        let new = try await transfer([
            "PUT", "https://api.example/photos/{id}", "--value", "id=7:/photo/id", "--value",
            "e_1=\(uuid):ETag",
            "-H", "If-Match: {e_1}", "--data-json", #"{"whole": "{all}"}"#, "--value", "all=8:/",
        ])
        let values = try #require(new.work.request).specification.values
        #expect(
            values.mapValues { "\($0)" } == [
                "id": "\(try Self.uuid(of: TransferID(rawValue: 7))):/photo/id", "e_1": "\(uuid):ETag",
                "all": "\(try Self.uuid(of: TransferID(rawValue: 8))):/",
            ]
        )
    }

    @Test(arguments: [
        "id", "id=7", "id=7:", "id=:/a", "=7:/a", "id=x:/a", "id=07:/a", "id=-7:/a", "id=0:/a", "id=7:/~",
        "id=7:a b",
        "i d=7:/a", "other=7:/a", "id=7/a", "id=01890a5d:/a",
    ])
    func aValueThatMayBeMisreadIsRefused(value: String) {
        #expect(failure("POST", "https://api.example/{id}", "--value", value)?.status == .usage)
    }

    private func text(_ request: RequestSpecification) -> String {
        String(decoding: request.body.bytes, as: UTF8.self)
    }

    private func fields(_ request: RequestSpecification) -> [String] {
        request.exchange.headers.map { "\($0.name): \($0.value)" }
    }

    @Test(arguments: [
        ["POST"], ["POST", "example.org"], ["POST", "ftp://example.org/a"], ["P OST", url], [url, "POST"],
        ["", url], ["CONNECT", url], ["TRACE", url, "--data", "x"],
        ["POST", url, "--data", "a", "--form", "a=b"],
        ["POST", url, "--data", "a", "--data-file", "/etc/hostname"],
        ["POST", url, "--data-json", "{}", "--data", "a"], ["POST", url, "--data-json", "{"],
        ["POST", url, "--data-json", ""], ["POST", url, "--form", "a"], ["POST", url, "--form", "=b"],
        ["POST", url, "--data", "@body.json"], ["POST", url, "--data-file", ""],
        ["POST", url, "--key", "a", "--no-key"], ["POST", url, "--key", ""], ["POST", url, "--key", "é"],
        ["POST", url, "--key", "a\nb"],
        ["POST", url, "-H", "Idempotency-Key: 1"], ["PUT", url, "--key", "k", "-H", "idempotency-key: 1"],
        ["POST", url, "-H", "no colon"], ["POST", url, "-H", "X: a\r\nY: b"], ["POST", url, "-H", "X: a\rb"],
        ["POST", url, "-H", "X Y: a"], ["POST", url, "-H", ": a"], ["POST", url, "-H", "Content-Length: 3"],
        ["POST", url, "-H", "Transfer-Encoding: chunked"],
        ["POST", url, "--user", "a:b", "--bearer", "t"], ["POST", url, "--user", "a"],
        ["POST", url, "--success", "200"], ["POST", url, "--success", "x"],
        ["POST", url, "--form", "a=@/etc/hostname", "-H", "content-type: multipart/form-data"],
        ["POST", url, "--content-digest", "md5"], ["POST", url, "--repr-digest", "sha-1"],
        ["POST", url, "--content-md5", "-H", "Content-MD5: x"],
        ["POST", url, "-o", "-"], ["POST", url, "-o", "a/"], ["POST", url, "--overwrite"],
        ["POST", url, "--form", "a=@"], ["POST", url, "--form", "a=@-"],
        ["POST", url, "--form", "a=@/etc/hostname;type="],
        ["POST", url, "--retries", "-1"], ["POST", url, "--response-limit", "17M"],
        ["POST", url, "--response-limit", "much"], ["POST", url, "--window", "never"],
        ["POST", url, "--limit-rate", "fast"], ["POST", url, "--priority", "x"],
        ["POST", url, "--after", "x"],
        ["POST", url, "--queue", ""], ["POST", url, "-4", "-6"], ["POST", url, "-x", "4"],
        ["POST", url, url],
        ["POST", url, "--insecure", "--cacert", "/etc/hosts"],
    ])
    func whatMakesNoSenseEndsWith64(_ words: [String]) {
        do {
            _ = try plan(words)
            Issue.record("accepted: \(words)")
        } catch let failure as CommandFailure {
            #expect(failure.status == .usage)
        } catch {
            #expect(FerryCommand.exitCode(for: error).rawValue == 64)
        }
    }

    @Test func everyOptionReachesTheTransfer() async throws {
        let words = [
            "PATCH", Self.url, "-H", "X-A: 1", "--data", "-1", "--key", #"a"b\c"#, "--retries", "3",
            "--user", "me:pw", "--queue", "orders", "--priority", "-4", "--after", "7", "--tag", "order 5",
            "--timeout", "2.5", "--max-redirects", "2", "--window", "22:00-06:00", "--limit-rate", "10k",
            "--response-limit", "2M", "--proxy", "http://p:1", "--success", "404", "--success", "409",
        ]
        let new = try await transfer(words)
        let request = try #require(new.work.request).specification
        #expect(new.uuid == Self.uuid && new.queue == "orders" && new.priority == -4)
        #expect(new.after == [TransferID(rawValue: 7)] && new.tag?.text == "order 5")
        #expect(request.method == .patch && request.url.absoluteString == Self.url)
        #expect(text(request) == "-1" && fields(request) == ["X-A: 1"])
        #expect(request.key == IdempotencyKey(value: #""a\"b\\c""#))
        #expect(request.retries == 3 && request.responseLimit == 2 << 20)
        #expect(request.terms.rateLimit.bytesPerSecond == 10 << 10 && request.terms.window != .always)
        #expect(request.exchange.credentials == .basic(user: "me", password: "pw"))
        #expect(request.exchange.connection.idleTimeout == .milliseconds(2500))
        #expect(request.exchange.redirectLimit == 2 && request.exchange.connection.proxy != nil)
        #expect(request.acceptedStatuses == [404, 409])
        #expect(try plan(words).warnings.isEmpty)
    }

    @Test("a method that is not idempotent gets a key from the UUID, unless --no-key is given")
    func keys() async throws {
        let expected = IdempotencyKey(value: "\"00010203-0405-0607-0809-0a0b0c0d0e0f\"")
        #expect(try await request("POST", Self.url).key == expected)
        #expect(try await request("PATCH", Self.url).key == expected)
        #expect(try await request("REPORT", Self.url).key == expected)
        for method in ["GET", "HEAD", "PUT", "DELETE", "OPTIONS"] {
            #expect(try await request(method, Self.url).key == nil)
        }
        #expect(try await request("PUT", Self.url, "--key", "k").key?.value == "\"k\"")
        let bare = try await request("POST", Self.url, "--no-key", "-H", "Idempotency-Key: raw")
        #expect(bare.key == nil && fields(bare) == ["Idempotency-Key: raw"])
    }

    @Test func aMethodIsSentAsTyped() async throws {
        #expect(try await request("Foo-Bar", Self.url).method.rawValue == "Foo-Bar")
        let plan = try plan(["post", Self.url])
        #expect(plan.request.method.rawValue == "post" && plan.warnings.count == 1)
    }

    @Test(
        "a body that looks like a form and has no media type gets a warning",
        arguments: [
            (["-d", "a=1"], true), (["-d", "a=1&b[]=%7B"], true), (["-d", "a=b c", "-H", "X-A: 1"], true),
            (["-d", "a=1", "-H", "content-type: text/plain"], false), (["-d", #"{"a": "b=c"}"#], false),
            (["-d", "a"], false), (["-d", "=a"], false), (["-d", "YQ=="], false),
            (["-d", "a=1\nb=2\n"], false), (["-d", "<a b=\"c\"/>"], false),
            (["-d", "if a=1 then b"], false), (["-d", "a={b}"], false), (["--form", "a=1"], false),
            (["--data-json", "1"], false), ([], false),
        ] as [([String], Bool)]
    )
    func aFormWithoutMediaType(_ words: [String], _ isWarned: Bool) throws {
        let warnings = try plan(["POST", Self.url] + words).warnings
        let expected = ["The body has no media type; `--form a=1` sends a form."]
        #expect(warnings == (isWarned ? expected : []), "\(words)")
    }

    @Test func jsonIsCheckedAndNamed() async throws {
        let json = #"{"a": [1, -2.5e+3, true, null, "\u00e9\n"], "b": {}}"#
        let plain = try await request("POST", Self.url, "--data-json", json)
        #expect(text(plain) == json)
        #expect(fields(plain) == ["Content-Type: application/json", "Accept: application/json"])
        let own = try await request(
            "POST",
            Self.url,
            "--data-json",
            "1",
            "-H",
            "content-type: application/ld+json"
        )
        #expect(fields(own) == ["content-type: application/ld+json", "Accept: application/json"])
    }

    @Test(arguments: [
        "", " ", "{", "}", "[1,]", "{\"a\"}", "{\"a\":1,}", "{a:1}", "'a'", "01", "1.", ".5", "+1", "1e",
        "- 1",
        "tru", "True", "\"a", "\"\\x\"", "\"\\u12g4\"", "\"a\nb\"", "1 2", "[1 2]", "{} x", "NaN",
        String(repeating: "[", count: 100_000),
    ])
    func whatIsNoJSONIsFound(_ text: String) {
        #expect(!JSONText.isValid(Array(text.utf8)))
    }

    @Test(arguments: [
        "0", "-0", "1e9", "1.5E-7", "\"\"", "\"é😀\"", " [ ] ", "[[],{}]", "{\"\":\"\"}", "null\n",
    ])
    func jsonIsFound(_ text: String) {
        #expect(JSONText.isValid(Array(text.utf8)))
    }

    @Test func aFormIsURLEncoded() async throws {
        let form = try await request(
            "POST",
            Self.url,
            "--form",
            "name=A B&c",
            "--form",
            "é=1=2",
            "--form",
            "empty="
        )
        #expect(text(form) == "name=A+B%26c&%C3%A9=1%3D2&empty=")
        #expect(fields(form) == ["Content-Type: application/x-www-form-urlencoded"])
    }

    @Test("a form with a file is multipart/form-data, and the file is a part of the body")
    func formWithFiles() async throws {
        let path = NSTemporaryDirectory() + "ferry-\"form\"-\(UUID().uuidString)"
        defer { unlink(path) }
        try Data(count: 5).write(to: URL(fileURLWithPath: path))
        let form = try await request(
            "POST",
            Self.url,
            "--form",
            "ti\"tle=A & B",
            "--form",
            "photo=@\(path);type=image/jpeg",
            "--form",
            "last=1"
        )
        let boundary = "ferry-00010203-0405-0607-0809-0a0b0c0d0e0f"
        let name = path.split(separator: "/").last.map { $0.replacing("\"", with: "%22") } ?? ""
        #expect(fields(form) == ["Content-Type: multipart/form-data; boundary=\(boundary)"])
        let head = """
            --\(boundary)\r\nContent-Disposition: form-data; name="ti%22tle"\r\n\r\nA & B\r\n\
            --\(boundary)\r\nContent-Disposition: form-data; name="photo"; filename="\(name)"\r\n\
            Content-Type: image/jpeg\r\n\r\n
            """
        let tail = """
            \r\n--\(boundary)\r\nContent-Disposition: form-data; name="last"\r\n\r\n1\r\n--\(boundary)--\r\n
            """
        #expect(text(form) == head + tail)
        let file = PinnedFile(path: path, Self.entry(length: 5))
        #expect(
            form.body.parts == [.bytes(count: head.utf8.count), .file(file), .bytes(count: tail.utf8.count)]
        )
        #expect(form.body.length == Int64(head.utf8.count + 5 + tail.utf8.count))
    }

    @Test func conditionsMayBeGiven() async throws {
        #expect(fields(try await request("PUT", Self.url, "-H", "If-Match: \"a\"")) == ["If-Match: \"a\""])
    }

    @Test("a body up to 1 MiB is read from a file at once; a longer one when it is sent")
    func longBody() async throws {
        let path = NSTemporaryDirectory() + "ferry-body-\(UUID().uuidString)"
        defer { unlink(path) }
        let limit = RequestSpecification.longestBody
        try Data(count: limit).write(to: URL(fileURLWithPath: path))
        #expect(try await request("POST", Self.url, "--data-file", path).body.bytes.count == limit)
        try Data(count: limit + 1).write(to: URL(fileURLWithPath: path))
        let long = try await request("POST", Self.url, "--data-file", path)
        #expect(long.body.bytes.isEmpty && long.body.files.map(\.path) == [path])
        let failure = failure("POST", Self.url, "--data", String(repeating: "x", count: limit + 1))
        #expect(failure?.status == .usage && failure?.hint != nil)
        #expect(failure?.message.contains("1.0 MiB") == true, "\(failure?.message ?? "")")
        unlink(path)
        #expect(self.failure("POST", Self.url, "--data-file", path)?.status == .cannotOpen)
    }

    @Test func refusalsNameBothOptions() {
        let pairs = [
            (["--data", "a", "--form", "a=b"], ["--data", "--form"]),
            (["--data-file", "x", "--data-json", "{}"], ["--data-file", "--data-json"]),
            (["--key", "k", "--no-key"], ["--key", "--no-key"]),
        ]
        for (words, names) in pairs {
            do {
                _ = try plan(["POST", Self.url] + words)
                Issue.record("accepted: \(words)")
            } catch {
                for name in names { #expect("\(error)".contains(name)) }
            }
        }
    }

    @Test(
        "of two bodies, none is dropped in silence",
        arguments: [
            (["-d", "a=1", "-d", "b=2"], "--data", "--form a=1 --form b=2"),
            (["-d", "a=1", "--data", "a=1"], "--data", "--form a=1 --form b=2"),
            (["--data-json", "{}", "--data-json", "[]"], "--data-json", "one JSON"),
            (["--data-file", "/etc/hosts", "--data-file", "/etc/hosts"], "--data-file", "@FILE"),
        ] as [([String], String, String)]
    )
    func aBodyGivenTwiceIsRefused(_ words: [String], _ option: String, _ hint: String) throws {
        let thrown = #expect(throws: CommandFailure.self) { try plan(["POST", Self.url] + words) }
        let failure = try #require(thrown)
        #expect(failure.status == .usage && failure.message == "\(option) is given twice.")
        #expect(failure.hint?.contains(hint) == true, "\(failure)")
    }

    @Test(
        "the forms of -H that only curl has are refused, with what to type",
        arguments: [
            ("Accept:", "Write 'Accept: VALUE'"), ("X-Empty;", "no field without a value"),
            ("@fields", "reads no file"),
        ]
    )
    func fieldsAsInCurl(_ field: String, _ hint: String) throws {
        let failure = try #require(self.failure("POST", Self.url, "-H", field))
        #expect(failure.status == .usage && failure.hint?.contains(hint) == true, "\(failure)")
    }

    @Test("no refusal quotes a body, a key or the value of a field")
    func secretsAreNotQuoted() {
        for words in [
            ["--data-json", "s3cret"], ["--form", "s3cret"], ["--data", "@s3cret"], ["--key", "s3crét"],
            ["-H", "X: s3cret\n"], ["-H", "Content-Length: s3cret"],
        ] {
            do {
                _ = try plan(["POST", Self.url] + words)
            } catch {
                #expect(!"\(error)".contains("s3cr"), "\(error)")
            }
        }
    }

    @Test func digestsAreFieldsOfStructuredDictionaries() async throws {
        let request = try await request(
            "PUT",
            Self.url,
            "--data",
            "abc",
            "--content-digest",
            "sha-512",
            "--content-digest",
            "sha-256",
            "--content-digest",
            "SHA256",
            "--repr-digest",
            "sha-256",
            "--content-md5"
        )
        // The digests of these tests are the length of the body and 255.
        #expect(
            fields(request) == [
                "Content-Digest: sha-512=:A/8=:, sha-256=:A/8=:", "Repr-Digest: sha-256=:A/8=:",
                "Content-MD5: A/8=",
            ]
        )
    }

    @Test func aResponseGoesToTheFileOfTheOutputOption() async throws {
        let file = try #require(
            try await request("GET", Self.url, "-o", "sub/a.json", "--overwrite").responseFile
        )
        #expect(
            file.place.path == "/sub/a.json" && file.replacesExisting
        )
        #expect(try await request("GET", Self.url).responseFile == nil)
    }

    @Test(
        "standard output and /dev/null are no files, and a FIFO is refused before anything is recorded",
        arguments: [
            ("-", .standardOutput), ("/dev/stdout", .standardOutput), ("/dev/null", .nowhere),
        ] as [(String, ResponseOutput)]
    )
    func outputsWithoutAFile(path: String, output: ResponseOutput) async throws {
        let plan = try plan(["--wait", "GET", Self.url, "-o", path])
        #expect(plan.output == output && output.needsWait && plan.request.responseFile == nil)
    }

    @Test func aDeviceOrFIFOTakesNoResponse() throws {
        let path = NSTemporaryDirectory() + "ferry-fifo-\(UUID().uuidString)"
        #expect(mkfifo(path, 0o600) == 0)
        defer { #expect(unlink(path) == 0) }
        for path in [path, "/dev/zero"] {
            let refusal = try #require(failure("GET", Self.url, "-o", path))
            #expect(refusal.status == .usage && refusal.message.contains("is not a file"), "\(refusal)")
        }
    }

    /// A pipe is read once, so what follows the first MiB is copied when the request is added.
    @Test(arguments: [3, 1 << 20, 1 << 20 | 1])
    func aLongPipeIsCopied(length: Int) async throws {
        let path = NSTemporaryDirectory() + "ferry-pipe-\(UUID().uuidString)"
        #expect(mkfifo(path, 0o600) == 0)
        defer { unlink(path) }
        // Not a task: the reading blocks threads of the pool.
        Thread.detachNewThread {
            do {
                try Data(count: length).write(to: URL(fileURLWithPath: path), options: [])
            } catch {
                Issue.record("\(error)")
            }
        }
        let body = try await request("POST", Self.url, "--data-file", path).body
        #expect(body.length == Int64(length))
        #expect(body.copy?.path == (length > 1 << 20 ? "\(try #require(Self.uuid))" : nil))
    }
}

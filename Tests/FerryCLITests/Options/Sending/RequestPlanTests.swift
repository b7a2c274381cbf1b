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

    private func request(_ words: String...) throws -> RequestSpecification { try plan(words).request }

    private func failure(_ words: String...) -> CommandFailure? {
        #expect(throws: CommandFailure.self, "\(words)") { try plan(words) }
    }

    private func text(_ request: RequestSpecification) -> String {
        String(decoding: request.body, as: UTF8.self)
    }

    private func fields(_ request: RequestSpecification) -> [String] {
        request.exchange.headers.map { "\($0.name): \($0.value)" }
    }

    @Test(arguments: [
        ["POST"], ["POST", "example.org/a"], ["POST", "ftp://example.org/a"], ["P OST", url], [url, "POST"],
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
        ["POST", url, "--retries", "-1"], ["POST", url, "--response-limit", "17M"],
        ["POST", url, "--response-limit", "much"], ["POST", url, "--window", "never"],
        ["POST", url, "--limit-rate", "fast"], ["POST", url, "--priority", "x"],
        ["POST", url, "--after", "x"],
        ["POST", url, "--queue", ""], ["POST", url, "-4", "-6"], ["POST", url, "-x", "4"],
        ["POST", url, url],
        ["POST", url, "--insecure", "--cacert", "/etc/hosts"], ["POST", url, "-o", "file"],
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

    @Test func everyOptionReachesTheTransfer() throws {
        let plan = try plan([
            "PATCH", Self.url, "-H", "X-A: 1", "--data", "-1", "--key", #"a"b\c"#, "--retries", "3",
            "--user", "me:pw", "--queue", "orders", "--priority", "-4", "--after", "7", "--tag", "order 5",
            "--timeout", "2.5", "--max-redirects", "2", "--window", "22:00-06:00", "--limit-rate", "10k",
            "--response-limit", "2M", "--proxy", "http://p:1",
        ])
        let (new, request) = (plan.transfer, plan.request)
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
        #expect(plan.warnings.isEmpty)
    }

    @Test("a method that is not idempotent gets a key from the UUID, unless --no-key is given")
    func keys() throws {
        let expected = IdempotencyKey(value: "\"00010203-0405-0607-0809-0a0b0c0d0e0f\"")
        #expect(try request("POST", Self.url).key == expected)
        #expect(try request("PATCH", Self.url).key == expected)
        #expect(try request("REPORT", Self.url).key == expected)
        for method in ["GET", "HEAD", "PUT", "DELETE", "OPTIONS"] {
            #expect(try request(method, Self.url).key == nil)
        }
        #expect(try request("PUT", Self.url, "--key", "k").key?.value == "\"k\"")
        let bare = try request("POST", Self.url, "--no-key", "-H", "Idempotency-Key: raw")
        #expect(bare.key == nil && fields(bare) == ["Idempotency-Key: raw"])
    }

    @Test func aMethodIsSentAsTyped() throws {
        #expect(try request("Foo-Bar", Self.url).method.rawValue == "Foo-Bar")
        let plan = try plan(["post", Self.url])
        #expect(plan.request.method.rawValue == "post" && plan.warnings.count == 1)
    }

    @Test func jsonIsCheckedAndNamed() throws {
        let json = #"{"a": [1, -2.5e+3, true, null, "\u00e9\n"], "b": {}}"#
        let plain = try request("POST", Self.url, "--data-json", json)
        #expect(text(plain) == json)
        #expect(fields(plain) == ["Content-Type: application/json", "Accept: application/json"])
        let own = try request("POST", Self.url, "--data-json", "1", "-H", "content-type: application/ld+json")
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

    @Test func aFormIsURLEncoded() throws {
        let form = try request(
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

    @Test func conditionsMayBeGiven() throws {
        #expect(fields(try request("PUT", Self.url, "-H", "If-Match: \"a\"")) == ["If-Match: \"a\""])
    }

    @Test("a body up to 1 MiB is read from a file; a longer one is refused with what to do")
    func longBody() throws {
        let path = NSTemporaryDirectory() + "ferry-body-\(UUID().uuidString)"
        defer { unlink(path) }
        let limit = RequestSpecification.longestBody
        try Data(count: limit).write(to: URL(fileURLWithPath: path))
        #expect(try request("POST", Self.url, "--data-file", path).body.count == limit)
        try Data(count: limit + 1).write(to: URL(fileURLWithPath: path))
        let failure = failure("POST", Self.url, "--data-file", path)
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
}

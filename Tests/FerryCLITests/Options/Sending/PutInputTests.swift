import ArgumentParser
import Ferry
import FerryCore
import Foundation
import Glibc
import HTTPTypes
import Testing

@testable import FerryCLI
@testable import FerryFrontend

/// What a `ferry put` line asks for.
@Suite struct PutInputTests {
    private func plans(_ words: [String]) throws -> [RequestPlan] {
        let command = try PutCommand.parse(words)
        let settings = try Settings(Sample.environment, file: nil)
        return try command.input(with: settings).plans(environment: Sample.environment)
    }

    private func withFile(_ name: String, _ body: (String) throws -> Void) throws {
        let directory = NSTemporaryDirectory() + "ferry-put-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
        let path = "\(directory)/\(name)"
        defer {
            unlink(path)
            rmdir(directory)
        }
        try Data(count: 3).write(to: URL(fileURLWithPath: path))
        try body(path)
    }

    @Test(
        "after a URL that ends with / the file keeps its name, percent-encoded",
        arguments: [
            ("https://a.example/x", "https://a.example/x"),
            ("https://a.example/x/", "https://a.example/x/a%20b%25%C3%A9%3F.bin"),
            ("https://a.example/", "https://a.example/a%20b%25%C3%A9%3F.bin"),
            ("https://a.example/x/?sig=/1", "https://a.example/x/a%20b%25%C3%A9%3F.bin?sig=/1"),
            ("https://a.example/x?in=/", "https://a.example/x?in=/"),
            ("https://a.example", "https://a.example/a%20b%25%C3%A9%3F.bin"),
            ("https://a.example?a=b", "https://a.example/a%20b%25%C3%A9%3F.bin?a=b"),
        ]
    )
    func namesOfFiles(target: String, url: String) throws {
        try withFile("a b%é?.bin") { path in
            let plan = try #require(try plans([path, target]).first)
            #expect(plan.request.url.absoluteString == url)
            #expect(plan.request.method == .put && plan.request.key == nil)
        }
    }

    @Test func aBucketAloneIsAPrefixOfKeys() throws {
        try withFile("a b") { path in
            let plan = try #require(try plans([path, "s3://bucket"]).first)
            #expect(plan.request.url.objectName?.description == "s3://bucket/a b")
            let directory = String(path.dropLast(4))
            for target in ["s3://bucket", "https://a.example"] {
                let below = try #require(try plans(["-r", directory, target]).first)
                let url = below.request.url
                #expect(url.objectName?.key == "a b" || url.path == "/a%20b")
            }
        }
    }

    @Test(
        "a line with a wrong URL is told a right one",
        arguments: [
            (["a", "a.example/x/"], "as in `ferry put FILE https://a.example/x/`."),
            (["a", "localhost:80/x"], "as in `ferry put FILE https://localhost:80/x`."),
            (["a", "b"], "as in `ferry put FILE https://example.org/files/`."),
            (["a", "b/c"], "as in `ferry put FILE https://example.org/files/`."),
            (["https://a.example/", "b.c/d"], "The URL comes last, as in `ferry put FILE "),
            (["a", "b", "https://a.example/x?y=1"], "as with https://a.example/x/?y="),
            (["a", "b", "s3://bucket/x"], "as with s3://bucket/x/."),
            (["-r", "a", "https://a.example/x"], "as with https://a.example/x/."),
        ]
    )
    func wrongURLs(words: [String], hint: String) throws {
        let failure = #expect(throws: CommandFailure.self) { try plans(words) }
        #expect(failure?.status == .usage && failure?.hint?.contains(hint) == true, "\(failure?.hint ?? "")")
    }

    @Test(
        "a field that an option gives is not given again by -H",
        arguments: [["--content-type", "a/b"], ["--no-clobber"], ["--if-match", "x"]],
        ["content-type: c/d", "If-None-Match: x", "IF-MATCH: y"]
    )
    func fieldsGivenTwice(option: [String], field: String) throws {
        let names = [
            "--content-type": "content-type", "--no-clobber": "if-none-match", "--if-match": "if-match",
        ]
        try withFile("ferry-one") { path in
            let line = option + ["-H", field, path, "https://a.example/x"]
            if field.lowercased().hasPrefix("\(names[option[0]] ?? "-"):") {
                #expect(throws: CommandFailure.self) { try plans(line) }
            } else {
                let count = try plans(line).count
                #expect(count == 1)
            }
        }
    }

    @Test(
        "a URL that uploads are created at is used as it was typed",
        arguments: [
            ("tus", "https://a.example/files/", "PUT"), ("tus", "https://a.example/files", "PUT"),
            ("tus", "https://a.example/?x=1", "PUT"), ("ietf", "https://a.example/files/", "POST"),
            ("ietf", "https://a.example/files/?x=1", "POST"), ("ietf", "https://a.example/files/a", "PUT"),
        ]
    )
    func creationURLs(name: String, target: String, method: String) throws {
        try withFile("a b.bin") { path in
            let plan = try #require(try plans([path, target, "--protocol", name]).first)
            #expect(plan.request.url.absoluteString == target && plan.request.methodName == method)
            #expect(plan.request.key == nil)
            let list = path + ".list"
            defer { unlink(list) }
            try "\(path)\t\(target)\n".write(toFile: list, atomically: true, encoding: .utf8)
            let listed = try #require(try plans(["-i", list, "--protocol", name]).first)
            #expect(listed.request.url.absoluteString == target && listed.request.methodName == method)
        }
    }

    @Test(
        "of what no protocol was named for, no server is asked what it can do",
        arguments: [nil, "auto", "put"]
    )
    func namesByDefault(name: String?) throws {
        try withFile("a") { path in
            let option = name.map { ["--protocol", $0] } ?? []
            let plan = try #require(try plans([path, "https://a.example/files/"] + option).first)
            #expect(plan.request.url.path == "/files/a" && plan.request.method == .put)
        }
    }

    @Test func severalUploadsAreCreatedAtOneURL() throws {
        try withFile("one") { one in
            try withFile("two") { two in
                let target = "https://a.example/files/"
                let many = try plans([one, two, target, "--protocol", "tus"])
                #expect(many.map(\.request.url.path) == ["/files/", "/files/"])
                for words in [
                    [one, one, target, "--protocol", "tus"], ["-", target, "--protocol", "tus"],
                    ["-", target + "x", "--protocol", "ietf"],
                    [one, two, target + "x", "--protocol", "ietf"],
                    ["/etc/", target, "--protocol", "tus"], [one, target, "--overwrite", "--no-clobber"],
                ] {
                    let failure = #expect(throws: CommandFailure.self) { try plans(words) }
                    #expect(failure?.status == .usage, "\(words)")
                }
            }
        }
    }

    @Test func aDirectoryIsSentWithAnotherOption() {
        let failure = #expect(throws: CommandFailure.self) { try plans(["/tmp", "https://a.example/x"]) }
        #expect(failure?.status == .cannotOpen && failure?.hint?.contains("-r") == true)
    }

    @Test("a directory goes to the URL that uploads are created at", arguments: ["tus", "ietf"])
    func directories(name: String) throws {
        try withFile("a") { path in
            let directory = String(path.dropLast(2))
            let target = "https://a.example/files/"
            let plan = try #require(try plans(["-r", directory, target, "--protocol", name]).first)
            #expect(plan.request.url.absoluteString == target)
            let plain = try #require(try plans(["-r", directory, target]).first)
            #expect(plain.request.url.absoluteString == target + "a")
            let other = try? plans(["-r", directory, "https://a.example/files", "--protocol", name])
            #expect((other != nil) == (name == "tus"))
        }
    }

    @Test func severalFilesAreSeveralRequests() throws {
        try withFile("ferry-one") { one in
            try withFile("ferry-two") { two in
                let plans = try plans([one, two, "https://a.example/in/"])
                #expect(plans.map(\.request.url.path) == ["/in/ferry-one", "/in/ferry-two"])
                #expect(throws: CommandFailure.self) { try self.plans([one, two, "https://a.example/in"]) }
            }
        }
    }

    @Test func optionsBecomeFields() throws {
        try withFile("ferry-one") { path in
            let url = "https://a.example/in/"
            func fields(_ words: String...) throws -> [String] {
                try #require(try plans(words + [path, url]).first).request.exchange.headers.map {
                    "\($0.name): \($0.value)"
                }
            }
            let plain = try fields()
            #expect(plain == [])
            let conditional = try fields("--no-clobber", "--content-type", "image/png")
            #expect(conditional == ["Content-Type: image/png", "If-None-Match: *"])
            let any = try fields("--if-match", "*")
            #expect(any == ["If-Match: *"])
            for tag in ["abc", "\"abc\""] {
                let matching = try fields("--if-match", tag)
                #expect(matching == ["If-Match: \"abc\""])
            }
            #expect(throws: CommandFailure.self) { try fields("--if-match", "a", "--no-clobber") }
        }
    }

    @Test(arguments: [
        [], ["/etc/hostname"], ["-", "https://a.example/"], ["/etc/hostname", "a.example/"],
        ["/etc/", "https://a.example/"],
    ])
    func whatMakesNoSenseEndsWith64(_ words: [String]) {
        let failure = #expect(throws: CommandFailure.self) { try plans(words) }
        #expect([.usage, .cannotOpen].contains(failure?.status))
        #expect(words.first == "/etc/" || failure?.status == .usage)
    }

    @Test func aMissingFileIsNamed() {
        let failure = #expect(throws: CommandFailure.self) { try plans(["/nowhere", "https://a.example/"]) }
        #expect(failure?.status == .cannotOpen && failure?.message.contains("/nowhere") == true)
    }
}

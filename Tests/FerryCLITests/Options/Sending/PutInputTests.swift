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
        return try command.putting.input(with: settings).plans(environment: Sample.environment)
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

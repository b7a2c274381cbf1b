import ArgumentParser
import Ferry
import FerryTesting
import Foundation
import Glibc
import Testing

@testable import FerryCLI
@testable import FerryFrontend

/// Paths in options: files, pipes and terminals are read, within bounds. Devices are not.
@Suite(.timeLimit(.minutes(10))) struct FileInputTests {
    private static let url = "https://example.org/a"

    /// Each test has its own directory, which is removed afterwards.
    private func withDirectory<Result>(_ body: (String) async throws -> Result) async throws -> Result {
        let path = NSTemporaryDirectory() + "ferry-inputs-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(atPath: path) } }
        return try await body(path)
    }

    private func write(_ text: String, to path: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    }

    private func plan(_ words: [String], home: String? = nil) throws -> DownloadPlan {
        let environment = ProcessEnvironment(variables: [:], workingDirectory: "/", home: home)
        return try DownloadPlan(GetCommand.parse(words).input.download, environment: environment)
    }

    /// The path of a pipe that gives a text to its reader.
    private func withPipe<Result>(_ text: String, _ body: (String) throws -> Result) throws -> Result {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        defer { close(ends[0]) }
        let bytes = Array(text.utf8)
        try #require(Glibc.write(ends[1], bytes, bytes.count) == bytes.count)
        close(ends[1])
        // As a shell names it for `<(…)`.
        return try body("/dev/fd/\(ends[0])")
    }

    /// A FIFO that no one writes to.
    private func fifo(in directory: String) throws -> String {
        let path = directory + "/fifo"
        try #require(mkfifo(path, 0o600) == 0)
        return path
    }

    // MARK: Bounds

    static let readers: [[String]] = [
        ["-i"], [url, "--netrc-file"], [url, "--cacert"], [url, "--cert"], ["--metalink"],
        [url, "--checksum-file"],
    ]

    @Test(arguments: readers, ["/dev/zero", "/dev/full", "/dev/urandom"])
    func aDeviceThatNeverEndsIsRefusedUnread(_ words: [String], _ device: String) throws {
        let failure = #expect(throws: CommandFailure.self) { try plan(words + [device]) }
        #expect(failure?.status == .cannotOpen)
        #expect(failure?.message.contains("device") == true, "\(String(describing: failure))")
    }

    @Test(arguments: readers)
    func aDirectoryIsRefused(_ words: [String]) throws {
        let failure = #expect(throws: CommandFailure.self) { try plan(words + ["/etc"]) }
        #expect(failure?.status == .cannotOpen)
        #expect(failure?.message.contains("directory") == true, "\(String(describing: failure))")
    }

    @Test func aFileOfPasswordsIsBounded() async throws {
        try await withDirectory { directory in
            let path = directory + "/netrc"
            try write("machine example.org login a password b\n", to: path)
            try #require(truncate(path, 1 << 40) == 0)
            let failure = #expect(throws: CommandFailure.self) { try plan([Self.url, "--netrc-file", path]) }
            #expect(failure?.status == .cannotOpen)
            #expect(failure?.message.contains("longer than") == true, "\(String(describing: failure))")
        }
    }

    @Test func aLineOfAListIsBounded() async throws {
        try await withDirectory { directory in
            let path = directory + "/list"
            try write("https://example.org/a\n", to: path)
            // A hole of zeros, as long as a disk.
            try #require(truncate(path, 1 << 40) == 0)
            let failure = #expect(throws: CommandFailure.self) { try plan(["-i", path]) }
            #expect(failure?.status == .usage)
            #expect(failure?.message.contains("line 2") == true, "\(String(describing: failure))")
            #expect(failure?.message.contains("longer than") == true)
        }
    }

    // MARK: Pipes

    @Test func aListMayComeThroughAPipe() throws {
        try withPipe("https://example.org/a\n out=b\nhttps://example.org/c") { path in
            let transfers = try plan(["-i", path]).transfers
            #expect(transfers.map(\.specification.url.path) == ["/a", "/c"])
        }
    }

    @Test func passwordsMayComeThroughAPipeThatWasNamed() throws {
        try withPipe("machine example.org login me password pw\n") { path in
            let plan = try plan([Self.url, "--netrc-file", path])
            #expect(
                try plan.transfers[0].specification.options.credentials == .basic(user: "me", password: "pw")
            )
        }
    }

    @Test func digestsMayComeThroughAPipe() throws {
        let digest = String(repeating: "a", count: 64)
        try withPipe("\(digest)  a\n") { path in
            let plan = try plan([Self.url, "--checksum-file", path])
            #expect(try plan.transfers[0].specification.options.checksum?.hex == digest)
        }
    }

    @Test(arguments: [["-i"], [url, "--netrc-file"]])
    func theNullDeviceIsAnEmptyFile(_ words: [String]) throws {
        #expect(try plan(words + ["/dev/null"]).warnings.isEmpty)
    }

    // MARK: What has to be a file

    @Test func certificatesThroughAPipeAreRefusedBecauseTheyAreReadAgain() async throws {
        try await withDirectory { directory in
            let path = try fifo(in: directory)
            let failure = #expect(throws: CommandFailure.self) { try plan([Self.url, "--cacert", path]) }
            #expect(failure?.status == .cannotOpen)
        }
    }

    @Test func clientCertificateHasAbsolutePathsAndOneFileMayHoldBoth() async throws {
        try await withDirectory { directory in
            for name in ["me.pem", "me.key"] { try write("", to: directory + "/" + name) }
            func certificate(_ words: String...) throws -> ClientCertificate? {
                let transfers = try plan([Self.url, "--cert", "~/me.pem"] + words, home: directory).transfers
                return transfers[0].specification.options.connection.clientCertificate
            }
            let path = directory + "/me.pem"
            #expect(try certificate() == ClientCertificate(certificateFile: path))
            let both = ClientCertificate(certificateFile: path, keyFile: directory + "/me.key")
            #expect(try certificate("--cert-key", "~/me.key") == both)
        }
    }

    @Test(arguments: ["fifo", "directory", "/dev/zero", "huge"])
    func aNetrcInTheHomeDirectoryThatIsNoSmallFileIsLeftOutWithAWarning(_ kind: String) async throws {
        try await withDirectory { home in
            let path = home + "/.netrc"
            switch kind {
            case "fifo": try #require(mkfifo(path, 0o600) == 0)
            case "directory": try #require(mkdir(path, 0o700) == 0)
            case "huge":
                try write("", to: path)
                try #require(truncate(path, 1 << 40) == 0)
            default: try #require(symlink(kind, path) == 0)
            }
            let plan = try plan([Self.url], home: home)
            #expect(try plan.transfers[0].specification.options.credentials == nil)
            #expect(plan.warnings.count == 1 && plan.warnings[0].contains(".netrc"), "\(plan.warnings)")
        }
    }

    @Test(arguments: ["fifo", "directory", "/dev/zero"], [true, false])
    func aConfigurationThatIsNoFileIsRefusedWithoutWaiting(_ kind: String, isNamed: Bool) async throws {
        // A FIFO that was asked for by name is waited for, as by any tool.
        guard kind != "fifo" || !isNamed else { return }
        try await withDirectory { directory in
            let path = directory + "/config.json"
            switch kind {
            case "fifo": try #require(mkfifo(path, 0o600) == 0)
            case "directory": try #require(mkdir(path, 0o700) == 0)
            default: try #require(symlink(kind, path) == 0)
            }
            let failure = #expect(throws: CommandFailure.self) {
                try SettingsFile(path: path, isRequired: isNamed).read()
            }
            #expect(failure?.status == .cannotOpen)
        }
    }
}

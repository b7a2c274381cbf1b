import Foundation
import Glibc
import Testing

/// Destinations that ferry accepts, and those that it refuses.
@Suite("Destinations", .limitedParallelism)
struct DestinationTests {
    static let content = Content(count: 10_000, seed: 81)

    /// Runs `body` with a server that has one file.
    private func served(_ body: (Sandbox, ScriptedServer) async throws -> Void) async throws {
        try await ScriptedServer.run(with: body) { .serving(Self.content, tag: "\"a\"", to: $0) }
    }

    @Test(
        "for an existing file, --overwrite replaces it, --auto-rename takes another name, --no-clobber fetches nothing"
    )
    func existingFilePolicies() async throws {
        try await served { sandbox, server in
            let mine = Content("mine")
            try mine.bytes.write(to: URL(fileURLWithPath: sandbox.path(of: "file.bin")))
            try await sandbox.ferry("get", "--no-clobber", server.url("file.bin")).expect(0)
            try sandbox.expectOnly("file.bin", mine)
            try await sandbox.ferry("get", "--auto-rename", server.url("file.bin")).expect(0)
            #expect(mine.isWhole(at: sandbox.path(of: "file.bin")))
            #expect(Self.content.isWhole(at: sandbox.path(of: "file.1.bin")))
            try await sandbox.ferry("get", "--overwrite", server.url("file.bin?again")).expect(0)
            #expect(Self.content.isWhole(at: sandbox.path(of: "file.bin")))
            #expect(try sandbox.fileNames() == ["file.1.bin", "file.bin"])
        }
    }

    @Test("a directory that is missing or is a file ends with 16, without a request")
    func missingDirectory() async throws {
        try await served { sandbox, server in
            let missing = try await sandbox.ferry("get", "-d", "nowhere", server.url("file.bin"))
            missing.expect(16)
            #expect(missing.errors.contains("nowhere"))
            try "x".write(toFile: sandbox.path(of: "plain"), atomically: true, encoding: .utf8)
            try await sandbox.ferry("get", "-o", "plain/file", server.url("file.bin")).expect(16)
            #expect(try sandbox.fileNames() == ["plain"])
            #expect(server.requests.isEmpty)
        }
    }

    @Test("in a removed working directory, nothing is done")
    func removedWorkingDirectory() async throws {
        try await served { sandbox, server in
            let outcome = try await sandbox.shell(
                "mkdir gone; cd gone; rmdir ../gone; ferry get \"$URL\"",
                environment: ["URL": server.url("file.bin")]
            )
            outcome.expect(16)
            #expect(outcome.errors.contains("no longer exists"))
            #expect(server.requests.isEmpty)
        }
    }

    @Test(
        "a directory that cannot be written to ends with 16",
        .enabled(if: geteuid() != 0, "root may write anywhere")
    )
    func unwritableDirectory() async throws {
        try await served { sandbox, server in
            chmod(sandbox.workingDirectory, 0o555)
            defer { chmod(sandbox.workingDirectory, 0o755) }
            try await sandbox.ferry("get", server.url("file.bin")).expect(16)
        }
    }

    @Test("a file system that takes no new files ends with 16")
    func readOnlyFileSystem() async throws {
        try await served { sandbox, server in
            let outcome = try await sandbox.ferry("get", "-d", "/proc", server.url("file.bin"))
            outcome.expect(16)
        }
    }

    @Test("-o with directories and -d lead to the same file, and the part file is beside it")
    func outputPath() async throws {
        try await served { sandbox, server in
            try FileManager.default.createDirectory(
                atPath: sandbox.path(of: "a/b"),
                withIntermediateDirectories: true
            )
            try await sandbox.ferry("get", "-d", "a", "-o", "b/c.bin", server.url("file.bin")).expect(0)
            #expect(Self.content.isWhole(at: sandbox.path(of: "a/b/c.bin")))
        }
    }
}

import Foundation
import Testing

/// Wildcards in the keys of objects, by the real binary against a real store.
@Suite(
    "Wildcards in keys",
    .serialized,
    .limitedParallelism,
    .enabled(if: Tool.seaweed.isInstalled, "SeaweedFS is not installed; scripts/test installs it")
)
struct WildcardTests {
    private func ferry(_ sandbox: Sandbox, _ words: [String]) async throws -> Outcome {
        try await sandbox.launch(words, environment: SeaweedFS.keys).outcome()
    }

    @Test(
        "each object that matches is downloaded below the fixed part of the pattern, and the same command fetches none again"
    )
    func matches() async throws {
        try await Sandbox.open { sandbox in
            let place = try await sandbox.startStore()
            let keys = [
                "logs/2026-01 a+b%20.txt", "logs/2026-02/é.txt", "logs/2025.txt", "logs/a*b", "more/2025.txt",
            ]
            for (number, key) in keys.enumerated() {
                let file = sandbox.path(of: "up\(number)")
                try "of \(key)".write(toFile: file, atomically: true, encoding: .utf8)
                try await ferry(sandbox, ["put", file, "s3://bucket/\(key)"] + place).expect(0)
            }
            let directory = sandbox.path(of: "down")
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
            let get = ["get", "-d", directory] + place
            for _ in 1...2 {
                try await ferry(sandbox, get + ["s3://bucket/logs/2026-*.txt"]).expect(0)
                let files = try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
                #expect(files == ["2026-01 a+b%20.txt", "2026-02"])
            }
            let text = try String(contentsOfFile: "\(directory)/2026-02/é.txt", encoding: .utf8)
            #expect(text == "of logs/2026-02/é.txt")

            let both = try await ferry(sandbox, get + ["s3://bucket/logs/2025*", "s3://bucket/more/2025*"])
            both.expect(64)
            #expect(both.errors.contains("same file"), "\(both)")
            // A link in the place of a directory leads nowhere.
            let (other, outside) = (sandbox.path(of: "other"), sandbox.path(of: "outside"))
            for path in [other, outside] {
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            }
            try FileManager.default.createSymbolicLink(
                atPath: other + "/2026-02",
                withDestinationPath: outside
            )
            let linked = try await ferry(
                sandbox,
                ["get", "-d", other, "s3://bucket/logs/2026-*.txt"] + place
            )
            linked.expect(16)
            #expect(linked.errors.contains("is a link"), "\(linked)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: outside) == [])
            try await ferry(sandbox, get + ["s3://bucket/logs/nosuch*"]).expect(3)
            try await ferry(sandbox, get + ["s3://bucket/logs/2026-*", "--no-glob"]).expect(3)
            try await ferry(sandbox, get + ["s3://bucket/logs/a*b", "--no-glob"]).expect(0)
            let added = try await ferry(
                sandbox,
                ["add", "-d", directory, "s3://bucket/logs/202[5]*"] + place
            )
            added.expect(0)
            #expect(added.output.split(separator: "\n").count == 1, "\(added)")
        }
    }
}

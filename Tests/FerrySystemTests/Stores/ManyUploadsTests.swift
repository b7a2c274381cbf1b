import Foundation
import Glibc
import Testing

/// Directories and lists that are uploaded, by the real binary against a real store.
@Suite(
    "Uploads of many files",
    .serialized,
    .limitedParallelism,
    .enabled(if: Tool.seaweed.isInstalled, "SeaweedFS is not installed; scripts/test installs it")
)
struct ManyUploadsTests {
    private func ferry(_ sandbox: Sandbox, _ words: [String]) async throws -> Outcome {
        try await sandbox.launch(words, environment: SeaweedFS.keys).outcome()
    }

    /// The uploads of a sandbox as JSON, by URL.
    private func rows(_ sandbox: Sandbox) async throws -> [String: [String: Any]] {
        let listed = try await sandbox.ferry("list", "--all", "--json")
        var rows: [String: [String: Any]] = [:]
        for line in listed.output.split(separator: "\n") {
            let row = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            if let row, let url = row["url"] as? String { rows[url] = row }
        }
        return rows
    }

    @Test("a directory that was cut by a kill is completed by the same command, and its parts are resumed")
    func directory() async throws {
        try await Sandbox.open { sandbox in
            let place = try await sandbox.startStore()
            let tree = sandbox.path(of: "tree")
            try FileManager.default.createDirectory(atPath: tree + "/a b", withIntermediateDirectories: true)
            let paths = (0..<20).map { "a b/\($0)+%20é.bin" } + ["big.bin"]
            for (number, path) in paths.enumerated() {
                let length = path == "big.bin" ? 12 * .mebibyte : 1000 + number
                let content = Content(count: length, seed: UInt64(number))
                try Data(content.bytes).write(to: URL(fileURLWithPath: "\(tree)/\(path)"))
            }
            let words = ["put", "-r", tree, "s3://bucket/up/", "--part-size", "5M"] + place
            let put = try sandbox.launch(words + ["--limit-rate", "1M"], environment: SeaweedFS.keys)
            try await Deadline.wait(for: "some of the files", said: { sandbox.saidSoFar }) {
                try await rows(sandbox).values.contains {
                    $0["state"] as? String == "completed" && ($0["url"] as? String)?.contains("/up/") == true
                }
            }
            put.send(SIGKILL)
            _ = try await put.outcome()
            try await ferry(sandbox, words).expect(0)
            let after = try await rows(sandbox)
            #expect(after.count == paths.count + 1, "one for each file, and the first of the store")
            #expect(after.values.allSatisfy { $0["state"] as? String == "completed" })
            for path in paths {
                let down = sandbox.path(of: "down")
                try await ferry(
                    sandbox,
                    ["get", "s3://bucket/up/\(path)", "--no-glob", "-o", down, "--overwrite"] + place
                ).expect(0)
                let (sent, got) = (
                    FileManager.default.contents(atPath: "\(tree)/\(path)"),
                    FileManager.default.contents(atPath: down)
                )
                #expect(sent == got, "\(path)")
            }
        }
    }

    @Test("a list sends each file to its own name; if a line is wrong, none")
    func list() async throws {
        try await Sandbox.open { sandbox in
            let place = try await sandbox.startStore()
            let file = sandbox.path(of: "one")
            try "1".write(toFile: file, atomically: true, encoding: .utf8)
            let list = sandbox.path(of: "list")
            try "\(file)\ts3://bucket/l/a b\n{\"file\": \"\(file)\", \"url\": \"s3://bucket/l/\"}\n"
                .write(toFile: list, atomically: true, encoding: .utf8)
            try await ferry(sandbox, ["put", "-i", list] + place).expect(0)
            let urls = Set(try await rows(sandbox).keys)
            #expect(urls.isSuperset(of: ["s3://bucket/l/a b", "s3://bucket/l/one"]), "\(urls)")
            try "\(file)\ts3://bucket/l/other\n\(file)\n".write(
                toFile: list,
                atomically: true,
                encoding: .utf8
            )
            let wrong = try await ferry(sandbox, ["put", "-i", list] + place)
            wrong.expect(64)
            #expect(wrong.errors.contains("line 2"), "\(wrong)")
            #expect(try await rows(sandbox)["s3://bucket/l/other"] == nil)
        }
    }
}

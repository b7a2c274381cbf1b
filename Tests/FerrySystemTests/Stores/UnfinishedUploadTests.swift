import Foundation
import Glibc
import Testing

/// `ferry uploads` by the real binary against a real store.
@Suite(
    "Unfinished uploads at a store",
    .serialized,
    .limitedParallelism,
    .enabled(if: Tool.seaweed.isInstalled, "SeaweedFS is not installed; scripts/test installs it")
)
struct UnfinishedUploadTests {
    /// A line of `ferry uploads … --json`.
    private struct Line: Decodable, Hashable {
        let name: String
        let upload: String
        let transfer: Int?
    }

    private func ferry(_ sandbox: Sandbox, _ words: [String]) async throws -> Outcome {
        try await sandbox.launch(words, environment: SeaweedFS.keys).outcome()
    }

    private func uploads(_ sandbox: Sandbox, _ words: [String]) async throws -> [Line] {
        let outcome = try await ferry(sandbox, ["uploads", "list", "s3://bucket", "--json"] + words)
        outcome.expect(0)
        return try outcome.output.split(separator: "\n").map {
            try JSONDecoder().decode(Line.self, from: Data($0.utf8))
        }
    }

    @Test("those that no transfer knows are ended when asked; what a transfer knows stays, and is resumed")
    func ended() async throws {
        try await Sandbox.open { sandbox in
            let place = try await sandbox.startStore()
            let content = Content(count: 12 * .mebibyte + 5, seed: 61)
            let file = sandbox.path(of: "big.bin")
            try Data(content.bytes).write(to: URL(fileURLWithPath: file))
            let other = ["--data-dir", sandbox.path(of: "other")]
            let words = ["--part-size", "5M", "--limit-rate", "1M"] + place
            let own = ["put", file, "s3://bucket/a+b/own %20.bin"]
            for (number, put) in [own, ["put", file, "s3://bucket/foreign%41.bin"] + other].enumerated() {
                let running = try sandbox.launch(put + words, environment: SeaweedFS.keys)
                try await Deadline.wait(for: "upload \(number)", said: { sandbox.saidSoFar }) {
                    try await uploads(sandbox, place).count == number + 1
                }
                running.send(SIGKILL)
                _ = try await running.outcome()
            }

            let listed = try await uploads(sandbox, place)
            #expect(Set(listed.map(\.name)) == ["s3://bucket/a+b/own %20.bin", "s3://bucket/foreign%41.bin"])
            let known = try #require(listed.first { $0.name.hasSuffix("own %20.bin") })
            let foreign = try #require(listed.first { $0.name.hasSuffix("foreign%41.bin") })
            #expect(known.transfer != nil && foreign.transfer == nil)
            let table = try await ferry(sandbox, ["uploads", "list", "s3://bucket/a+b/"] + place)
            #expect(table.output.contains(known.upload) && !table.output.contains(foreign.upload), "\(table)")
            // Nothing but the second look tells that this key is not encoded.
            let alone = try await ferry(sandbox, ["uploads", "list", "s3://bucket/foreign"] + place)
            #expect(alone.output.contains("s3://bucket/foreign%41.bin"), "\(alone)")

            let abort = ["uploads", "abort", "s3://bucket"]
            try await ferry(sandbox, abort + place).expect(64)
            try await ferry(sandbox, abort + ["--all"] + place).expect(0)
            #expect(try await uploads(sandbox, place).count == 2, "both are young")
            let refused = try await ferry(sandbox, abort + ["--id", known.upload] + place)
            refused.expect(1)
            #expect(refused.errors.contains("ferry cancel"), "\(refused)")
            try await ferry(sandbox, abort + ["--id", "nosuch"] + place).expect(3)
            try await ferry(sandbox, abort + ["--all", "--older-than", "0s"] + place).expect(0)
            #expect(try await uploads(sandbox, place) == [known])

            try await ferry(sandbox, own + ["--part-size", "5M"] + place).expect(0)
            #expect(try await uploads(sandbox, place).isEmpty)
            let down = sandbox.path(of: "down.bin")
            try await ferry(sandbox, ["get", "s3://bucket/a+b/own %20.bin", "-o", down] + place).expect(0)
            #expect(try Data(contentsOf: URL(fileURLWithPath: down)) == Data(content.bytes))
        }
    }

    @Test("a bucket that does not exist and a store that lists none are failures that say so")
    func refusals() async throws {
        try await Sandbox.open { sandbox in
            let place = try await sandbox.startStore()
            try await ferry(sandbox, ["uploads", "list", "s3://nosuchbucket", "--retries", "0"] + place)
                .expect(3)
            let google = try await ferry(sandbox, ["uploads", "list", "gs://bucket"])
            google.expect(64)
            #expect(google.errors.contains("does not list"), "\(google)")
        }
    }
}

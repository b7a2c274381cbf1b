import Foundation
import Glibc
import Testing

/// Uploads in parts, by the real binary against a real store.
@Suite(
    "Uploads in parts",
    .serialized,
    .limitedParallelism,
    .enabled(if: Tool.seaweed.isInstalled, "SeaweedFS is not installed; scripts/test installs it")
)
struct MultipartTests {
    private let content = Content(count: 23 * .mebibyte + 17, seed: 41)

    private func ferry(_ sandbox: Sandbox, _ words: [String]) async throws -> Outcome {
        try await sandbox.launch(words, environment: SeaweedFS.keys).outcome()
    }

    @Test("an upload that is killed again and again goes on from the parts that the store has")
    func killed() async throws {
        try await Sandbox.open { sandbox in
            let place = try await sandbox.startStore()
            let file = sandbox.path(of: "big.bin")
            try Data(content.bytes).write(to: URL(fileURLWithPath: file))
            let words = ["put", file, "s3://bucket/a dir/big.bin", "--part-size", "5M"] + place
            for kill in 1...3 {
                let put = try sandbox.launch(words + ["--limit-rate", "8M"], environment: SeaweedFS.keys)
                try await Deadline.wait(for: "part \(kill)", said: { sandbox.saidSoFar }) {
                    try await sandbox.confirmedBytes() >= Int64(kill) * 5 * Int64(1 << 20)
                }
                put.send(SIGKILL)
                _ = try await put.outcome()
            }
            let end = try await ferry(sandbox, words)
            end.expect(0)
            let row = try #require(try await sandbox.row())
            #expect(row["state"] as? String == "completed" && row["protocol"] as? String == "s3", "\(row)")
            let down = sandbox.path(of: "down.bin")
            try await ferry(sandbox, ["get", "s3://bucket/a dir/big.bin", "-o", down] + place).expect(0)
            #expect(try Data(contentsOf: URL(fileURLWithPath: down)) == Data(content.bytes))
        }
    }

    @Test("Ctrl-C and the same command resume; a file that was changed in between starts over or is refused")
    func changed() async throws {
        try await Sandbox.open { sandbox in
            let place = try await sandbox.startStore()
            let file = sandbox.path(of: "big.bin")
            try Data(content.bytes).write(to: URL(fileURLWithPath: file))
            let words = ["put", file, "s3://bucket/big.bin", "--part-size", "5M"] + place
            let put = try sandbox.launch(words + ["--limit-rate", "2M"], environment: SeaweedFS.keys)
            try await Deadline.wait(for: "a part", said: { sandbox.saidSoFar }) {
                try await sandbox.confirmedBytes() >= 5 << 20
            }
            put.send(SIGINT)
            try await put.outcome().expect(7)
            let other = Content(count: 11 * .mebibyte, seed: 42)
            try Data(other.bytes).write(to: URL(fileURLWithPath: file))
            try await ferry(sandbox, words).expect(0)
            let down = sandbox.path(of: "down.bin")
            try await ferry(sandbox, ["get", "s3://bucket/big.bin", "-o", down] + place).expect(0)
            #expect(try Data(contentsOf: URL(fileURLWithPath: down)) == Data(other.bytes))
        }
    }
}

extension SeaweedFS {
    /// The variables that name the key that it knows.
    static let keys = [
        "AWS_ACCESS_KEY_ID": accessKey, "AWS_SECRET_ACCESS_KEY": secret, "AWS_REGION": "us-east-1",
    ]
}

extension Sandbox {
    /// A store that takes objects into the bucket `bucket`, and the options that lead to it.
    func startStore() async throws -> [String] {
        let server = try await start(SeaweedFS())
        let place = ["--endpoint", "http://127.0.0.1:\(server.port)"]
        let file = path(of: "first")
        try "x".write(toFile: file, atomically: true, encoding: .utf8)
        // Its parts need a while to find each other.
        try await Deadline.wait(for: "the store to take an object", said: { saidSoFar }) {
            try await launch(
                ["put", file, "s3://bucket/first", "--retries", "0"] + place,
                environment: SeaweedFS.keys
            ).outcome().status == 0
        }
        return place
    }

    /// The latest transfer, as JSON.
    func row() async throws -> [String: Any]? {
        let listed = try await ferry("list", "--all", "--json")
        let rows = listed.output.split(separator: "\n").compactMap { line in
            try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        }
        return rows.max { ($0["id"] as? Int ?? 0) < ($1["id"] as? Int ?? 0) }
    }

    /// How many bytes of the latest upload a server has confirmed.
    fileprivate func confirmedBytes() async throws -> Int64 {
        (try await row()?["confirmed"] as? NSNumber)?.int64Value ?? 0
    }
}

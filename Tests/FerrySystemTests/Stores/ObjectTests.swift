import Foundation
import Testing

/// `s3://` in place of a URL, by the real binary against a store that checks signatures.
@Suite(
    "Objects of stores",
    .serialized,
    .limitedParallelism,
    .enabled(if: Tool.seaweed.isInstalled, "SeaweedFS is not installed; scripts/test installs it")
)
struct ObjectTests {
    private static let keys = [
        "AWS_ACCESS_KEY_ID": SeaweedFS.accessKey, "AWS_SECRET_ACCESS_KEY": SeaweedFS.secret,
        "AWS_REGION": "us-east-1",
    ]

    /// A store that takes objects, and the options that lead to it.
    private func start(_ sandbox: Sandbox) async throws -> [String] {
        let server = try await sandbox.start(SeaweedFS())
        let place = ["--endpoint", "http://127.0.0.1:\(server.port)"]
        let file = sandbox.path(of: "first")
        try "x".write(toFile: file, atomically: true, encoding: .utf8)
        // Its parts need a while to find each other.
        try await Deadline.wait(for: "the store to take an object", said: { sandbox.saidSoFar }) {
            try await ferry(sandbox, ["put", file, "s3://bucket/first", "--retries", "0"] + place).status == 0
        }
        return place
    }

    private func ferry(
        _ sandbox: Sandbox,
        _ words: [String],
        environment: [String: String] = keys
    ) async throws -> Outcome {
        try await sandbox.launch(words, environment: environment).outcome()
    }

    @Test("an object goes up and comes down under any key, and the list names it as it was typed")
    func roundTrip() async throws {
        try await Sandbox.open { sandbox in
            let place = try await start(sandbox)
            for (number, key) in ["plain.txt", "a b+c%20d/é 日本/(x);y?z#w", "a//b", "../up/./x", "/lead", "end "]
                .enumerated()
            {
                let text = "of \(key)"
                let file = sandbox.path(of: "up\(number)")
                try text.write(toFile: file, atomically: true, encoding: .utf8)
                try await ferry(sandbox, ["put", file, "s3://bucket/\(key)"] + place)
                    .expect(0)
                let down = sandbox.path(of: "down\(number)")
                try await ferry(sandbox, ["get", "s3://bucket/\(key)", "-o", down] + place).expect(0)
                #expect(try String(contentsOfFile: down, encoding: .utf8) == text)
                let listed = try await sandbox.ferry("list", "--all", "--json")
                #expect(listed.output.contains("s3://bucket/"), "\(listed)")
            }
            let listed = try await sandbox.ferry("list", "--all")
            #expect(listed.output.contains("s3://bucket/a b+c%20d"), "\(listed)")
        }
    }

    @Test("what was added runs in another process, with the server that was given and keys from its environment")
    func runsLater() async throws {
        try await Sandbox.open { sandbox in
            let place = try await start(sandbox)
            let down = sandbox.path(of: "down")
            try await ferry(sandbox, ["add", "s3://bucket/first", "-o", down] + place, environment: [:]).expect(0)
            let stored = try Data(contentsOf: URL(fileURLWithPath: sandbox.data + "/ferry.sqlite"))
            #expect(stored.range(of: Data(SeaweedFS.secret.utf8)) == nil)
            try await sandbox.ferry("run", environment: Self.keys).expect(0)
            #expect(try String(contentsOfFile: down, encoding: .utf8) == "x")
        }
    }

    @Test("each refusal says what is wrong, and what to type")
    func refusals() async throws {
        try await Sandbox.open { sandbox in
            let place = try await start(sandbox)
            let wrong = Self.keys.merging(["AWS_SECRET_ACCESS_KEY": "wrong"]) { $1 }
            let secret = try await ferry(sandbox, ["get", "s3://bucket/first", "-o", "a"] + place, environment: wrong)
            secret.expect(24)
            #expect(secret.errors.contains("secret key may be wrong"), "\(secret)")
            let unknown = Self.keys.merging(["AWS_ACCESS_KEY_ID": "nobody"]) { $1 }
            try await ferry(sandbox, ["get", "s3://bucket/first", "-o", "b"] + place, environment: unknown)
                .expect(24)
            let missing = try await ferry(sandbox, ["get", "s3://bucket/none", "-o", "c"] + place)
            missing.expect(3)
            #expect(missing.errors.contains("no such object"), "\(missing)")
            let none = try await ferry(sandbox, ["get", "s3://bucket/first", "-o", "d"] + place, environment: [:])
            none.expect(24)
            #expect(none.errors.contains("AWS_ACCESS_KEY_ID"), "\(none)")
        }
    }
}

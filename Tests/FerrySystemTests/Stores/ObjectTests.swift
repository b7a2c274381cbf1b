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
    private func ferry(
        _ sandbox: Sandbox,
        _ words: [String],
        environment: [String: String] = SeaweedFS.keys
    ) async throws -> Outcome {
        try await sandbox.launch(words, environment: environment).outcome()
    }

    @Test("an object goes up and comes down under any key, and the list names it as it was typed")
    func roundTrip() async throws {
        try await Sandbox.open { sandbox in
            let place = try await sandbox.startStore()
            for (number, key) in [
                "plain.txt", "a b+c%20d/é 日本/(x);y?z#w", "a//b", "..up/.x", "/lead", "end ",
            ]
            .enumerated() {
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

    @Test(
        "what was added runs in another process, with the server that was given and keys from its environment"
    )
    func runsLater() async throws {
        try await Sandbox.open { sandbox in
            let place = try await sandbox.startStore()
            let down = sandbox.path(of: "down")
            try await ferry(sandbox, ["add", "s3://bucket/first", "-o", down] + place, environment: [:])
                .expect(0)
            let stored = try Data(contentsOf: URL(fileURLWithPath: sandbox.data + "/ferry.sqlite"))
            #expect(stored.range(of: Data(SeaweedFS.secret.utf8)) == nil)
            try await sandbox.ferry("run", environment: SeaweedFS.keys).expect(0)
            #expect(try String(contentsOfFile: down, encoding: .utf8) == "x")
        }
    }

    @Test("each refusal says what is wrong, and what to type")
    func refusals() async throws {
        try await Sandbox.open { sandbox in
            let place = try await sandbox.startStore()
            let wrong = SeaweedFS.keys.merging(["AWS_SECRET_ACCESS_KEY": "wrong"]) { $1 }
            let secret = try await ferry(
                sandbox,
                ["get", "s3://bucket/first", "-o", "a"] + place,
                environment: wrong
            )
            secret.expect(24)
            #expect(secret.errors.contains("secret key may be wrong"), "\(secret)")
            let unknown = SeaweedFS.keys.merging(["AWS_ACCESS_KEY_ID": "nobody"]) { $1 }
            try await ferry(sandbox, ["get", "s3://bucket/first", "-o", "b"] + place, environment: unknown)
                .expect(24)
            let missing = try await ferry(sandbox, ["get", "s3://bucket/none", "-o", "c"] + place)
            missing.expect(3)
            #expect(missing.errors.contains("no such object"), "\(missing)")
            let none = try await ferry(
                sandbox,
                ["get", "s3://bucket/first", "-o", "d"] + place,
                environment: [:]
            )
            none.expect(24)
            #expect(none.errors.contains("AWS_ACCESS_KEY_ID"), "\(none)")
        }
    }
}

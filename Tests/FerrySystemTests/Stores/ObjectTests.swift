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
            let portrait = try await sandbox.ferry(
                "show",
                "\(try #require(try await sandbox.row()?["id"] as? Int))"
            )
            #expect(portrait.output.contains("server http://127.0.0.1:"), "\(portrait)")
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
                // The machine that runs the tests may be an instance.
                environment: ["AWS_EC2_METADATA_DISABLED": "true"]
            )
            none.expect(24)
            #expect(none.errors.contains("AWS_ACCESS_KEY_ID"), "\(none)")
        }
    }

    @Test("names stand in lists and as mirrors, and a region that the store does not have does no harm")
    func listsAndMirrors() async throws {
        try await Sandbox.open { sandbox in
            let place = try await sandbox.startStore() + ["--region", "mars-north-1"]
            let file = sandbox.path(of: "up")
            try "of é".write(toFile: file, atomically: true, encoding: .utf8)
            try await ferry(sandbox, ["put", file, "s3://bucket/d é/50% #1?.txt"] + place).expect(0)
            let list = sandbox.path(of: "list")
            try "s3://bucket/none\ts3://bucket/d é/50% #1?.txt\n  out=a\ns3://bucket/first\n  out=b\n"
                .write(toFile: list, atomically: true, encoding: .utf8)
            let json = sandbox.path(of: "list.json")
            try #"{"method": "HEAD", "url": "s3://bucket/d é/50% #1?.txt"}"#
                .write(toFile: json, atomically: true, encoding: .utf8)
            try await ferry(sandbox, ["get", "-i", list] + place).expect(0)
            try await ferry(sandbox, ["send", "-i", json, "--wait"] + place).expect(0)
            try await ferry(
                sandbox,
                ["get", "s3://bucket/none", "--mirror", "s3://bucket/first", "-o", "d"] + place
            ).expect(0)
            for (name, text) in [("a", "of é"), ("b", "x"), ("d", "x")] {
                #expect(try String(contentsOfFile: sandbox.path(of: name), encoding: .utf8) == text)
            }
        }
    }

    @Test("fields of the store that were given are signed, and requests get its answers")
    func givenFields() async throws {
        try await Sandbox.open { sandbox in
            let place = try await sandbox.startStore()
            let file = sandbox.path(of: "up")
            try "y".write(toFile: file, atomically: true, encoding: .utf8)
            let meta = ["-H", "x-amz-meta-colour: dark  blue"]
            try await ferry(sandbox, ["put", file, "s3://bucket/told"] + meta + place).expect(0)
            try await ferry(sandbox, ["send", "HEAD", "s3://bucket/told", "--wait"] + place).expect(0)
            let told = try await shown(sandbox, "--reveal")
            #expect(told.lowercased().contains("x-amz-meta-colour"), "\(told)")
            let wrong = SeaweedFS.keys.merging(["AWS_SECRET_ACCESS_KEY": "wrong"]) { $1 }
            let words = ["send", "PUT", "s3://bucket/refused", "--data", "z", "--wait"]
            let refused = try await ferry(sandbox, words + place, environment: wrong)
            #expect(refused.status != 0)
            #expect(try await shown(sandbox, "--body").contains("SignatureDoesNotMatch"), "\(refused)")
        }
    }

    /// What `show` prints of the latest transfer.
    private func shown(_ sandbox: Sandbox, _ option: String) async throws -> String {
        let row = try #require(try await sandbox.row())
        let id = try #require(row["id"] as? Int)
        return try await sandbox.ferry("show", "\(id)", "--json", option).output
    }

    @Test("a container's agent gives the keys")
    func container() async throws {
        let body = """
            {"AccessKeyId": "\(SeaweedFS.accessKey)", "SecretAccessKey": "\(SeaweedFS.secret)", "Expiration": \
            "2099-01-01T00:00:00Z"}
            """
        try await ScriptedServer.run(answering: { request in
            request["authorization"] == "agent"
                ? ScriptedReply(body: Array(body.utf8)) : ScriptedReply(status: 403)
        }) { agent in
            try await Sandbox.open { sandbox in
                let place = try await sandbox.startStore()
                let environment = [
                    "AWS_CONTAINER_CREDENTIALS_FULL_URI": agent.url("keys"),
                    "AWS_CONTAINER_AUTHORIZATION_TOKEN": "agent",
                ]
                let down = sandbox.path(of: "down")
                try await ferry(
                    sandbox,
                    ["get", "s3://bucket/first", "-o", down] + place,
                    environment: environment
                ).expect(0)
                #expect(try String(contentsOfFile: down, encoding: .utf8) == "x")
                #expect(agent.requests.count == 1)
            }
        }
    }
}

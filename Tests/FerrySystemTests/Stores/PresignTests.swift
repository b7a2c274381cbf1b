import Foundation
import Testing

/// `ferry presign`: URLs that a store accepts, by the real binary.
@Suite("Signed URLs of stores", .limitedParallelism)
struct PresignTests {
    private static let keys = [
        "AWS_ACCESS_KEY_ID": SeaweedFS.accessKey, "AWS_SECRET_ACCESS_KEY": SeaweedFS.secret,
        "AWS_REGION": "us-east-1",
    ]

    /// The status with which curl ends, and what the server sent.
    private func curl(_ sandbox: Sandbox, _ words: [String]) async throws -> (status: String, body: String) {
        let outcome = try await sandbox.launch(
            executable: try Tool.curl.requiredPath(),
            ["--silent", "--globoff", "--write-out", "\n%{http_code}"] + words
        ).outcome()
        outcome.expect(0)
        let end = outcome.output.lastIndex(of: "\n") ?? outcome.output.startIndex
        return (String(outcome.output[end...].dropFirst()), String(outcome.output[..<end]))
    }

    /// The URL that ferry prints.
    private func url(
        _ sandbox: Sandbox,
        _ words: [String],
        environment: [String: String] = keys
    ) async throws -> String {
        let outcome = try await sandbox.launch(["presign"] + words, environment: environment).outcome()
        outcome.expect(0)
        #expect(outcome.output.hasSuffix("\n"))
        return String(outcome.output.dropLast())
    }

    @Test(
        "a store that checks signatures takes them from curl and from ferry, and refuses what was changed",
        .enabled(if: Tool.seaweed.isInstalled && Tool.curl.isInstalled, "SeaweedFS or curl is not installed")
    )
    func roundTrip() async throws {
        try await Sandbox.open { sandbox in
            let server = try await sandbox.start(SeaweedFS())
            let endpoint = ["--endpoint", "http://127.0.0.1:\(server.port)"]
            func url(_ method: String, _ key: String, _ more: String...) async throws -> String {
                try await self.url(sandbox, [method, "s3://bucket/\(key)"] + endpoint + more)
            }
            // Its parts need a while to find each other.
            let first = try await url("PUT", "first")
            try await Deadline.wait(for: "the store to take an object", said: { sandbox.saidSoFar }) {
                try await curl(sandbox, ["--request", "PUT", "--data-binary", "x", first]).status == "200"
            }
            for key in ["plain.txt", "a b+c%20d/é 日本/(x);y?z#w", "a//b", "~!*'"] {
                let type = "Content-Type: text/plain"
                let put = try await url("PUT", key, "-H", type)
                let sent = try await curl(
                    sandbox,
                    ["--request", "PUT", "-H", type, "--data-binary", "of \(key)", put]
                )
                #expect(sent.status == "200", "\(key): \(sent)")
                let get = try await url("GET", key, "--expires", "5m")
                #expect(try await curl(sandbox, [get]) == ("200", "of \(key)"))
                let got = try await sandbox.ferry("get", "-o", "-", get)
                got.expect(0)
                #expect(got.output == "of \(key)")
                // Neither another object, nor another method, nor a later end.
                for changed in [
                    get.replacing("?", with: "1?"),
                    get.replacing("X-Amz-Expires=300", with: "X-Amz-Expires=301"),
                ] {
                    #expect(try await curl(sandbox, [changed]).status == "403")
                }
                #expect(try await curl(sandbox, ["--request", "DELETE", get]).status == "403")
            }
        }
    }

    @Test("profiles, their commands and their servers are read; --json has all of it")
    func profiles() async throws {
        try await Sandbox.open { sandbox in
            let folder = sandbox.home + "/.aws"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let script =
                #"echo '{"Version": 1, "AccessKeyId": "PRINTED", "SecretAccessKey": "s", "SessionToken": "t"}'"#
            try """
            [profile local]
            region = eu-west-1
            endpoint_url = http://localhost:9000
            credential_process = \(script)
            [profile broken]
            region = eu-west-1
            credential_process = echo geheim; exit 3
            """.write(toFile: folder + "/config", atomically: true, encoding: .utf8)
            let words = ["--profile", "local", "GET", "s3://bucket/key", "--json", "-H", "X-A: b"]
            let text = try await url(sandbox, words, environment: [:])
            let json = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
            let signed = try #require(json["url"] as? String)
            #expect(signed.hasPrefix("http://localhost:9000/bucket/key?X-Amz-Algorithm=AWS4-HMAC-SHA256"))
            #expect(
                signed.contains("X-Amz-Credential=PRINTED%2F") && signed.contains("X-Amz-Security-Token=t&")
            )
            #expect(json["method"] as? String == "GET" && json["name"] as? String == "s3://bucket/key")
            #expect(json["headers"] as? [[String: String]] == [["name": "X-A", "value": "b"]])

            let broken = try await sandbox.ferry("presign", "GET", "s3://bucket/key", "--profile", "broken")
            broken.expect(24)
            #expect(!(broken.output + broken.errors).contains("geheim"), "\(broken)")
            #expect(!FileManager.default.fileExists(atPath: sandbox.data), "no store is made")
        }
    }

    @Test(
        "a signal also ends the command of the profile, and what that has started",
        arguments: [SIGINT, SIGTERM]
    )
    func signals(_ signal: Int32) async throws {
        try await Sandbox.open { sandbox in
            let folder = sandbox.home + "/.aws"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let note = sandbox.path(of: "pid")
            try """
            [profile slow]
            credential_process = sleep 600 & echo $! > '\(note)'; wait
            """.write(toFile: folder + "/config", atomically: true, encoding: .utf8)
            let words = ["presign", "GET", "s3://bucket/key", "--region", "r", "--profile", "slow"]
            let ferry = try sandbox.launch(words)
            func started() -> Int? {
                FileManager.default.contents(atPath: note).flatMap {
                    Int(String(decoding: $0, as: UTF8.self).dropLast())
                }
            }
            try await Deadline.wait(for: "the command", said: { ferry.errorsSoFar }) { started() != nil }
            let pid = try #require(started())
            ferry.send(signal)
            let outcome = try await ferry.outcome()
            outcome.expect(128 + signal)
            #expect(outcome.output.isEmpty)
            try await Deadline.wait(for: "its end") {
                // A process that nobody has reaped yet has no arguments any more.
                FileManager.default.contents(atPath: "/proc/\(pid)/cmdline")?.isEmpty ?? true
            }
        }
    }

    @Test("what is missing is named, with what to type")
    func missing() async throws {
        try await Sandbox.open { sandbox in
            let credentials = try await sandbox.ferry("presign", "GET", "s3://bucket/key", "--region", "r")
            credentials.expect(24)
            #expect(credentials.errors.contains("AWS_ACCESS_KEY_ID") && credentials.output.isEmpty)
            let keys = Self.keys.filter { $0.key != "AWS_REGION" }
            let region = try await sandbox.ferry("presign", "GET", "s3://bucket/key", environment: keys)
            region.expect(64)
            #expect(region.errors.contains("--region"), "\(region)")
            try await sandbox.ferry("presign", "GET", "s3://bucket", environment: Self.keys).expect(64)
            try await sandbox.ferry("presign", "s3://bucket/key", environment: Self.keys).expect(64)
        }
    }
}

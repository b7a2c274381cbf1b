import Foundation
import Testing

/// Settings that apply to all commands.
@Suite(
    "The configuration",
    .limitedParallelism,
    .enabled(if: Tool.nginx.isInstalled, "nginx is not installed")
)
struct ConfigurationTests {
    @Test("options override the environment, and the environment overrides the file")
    func precedence() async throws {
        try await ScriptedServer.run { request in
            .serving(Content(count: 1000, seed: 531), tag: "\"a\"", to: request)
        } _: { sandbox, server in
            for name in ["file", "environment", "option"] {
                try FileManager.default.createDirectory(
                    atPath: sandbox.path(of: name),
                    withIntermediateDirectories: true
                )
            }
            try sandbox.configure(
                "{\"directory\": \"\(sandbox.path(of: "file"))\", \"user-agent\": \"configured/1\"}"
            )
            let variables = ["FERRY_DIRECTORY": sandbox.path(of: "environment")]
            try await sandbox.ferry("get", server.url("x")).expect(0)
            try await sandbox.ferry("get", server.url("x"), environment: variables).expect(0)
            try await sandbox.ferry("get", "-d", "option", server.url("x"), environment: variables)
                .expect(0)
            for name in ["file", "environment", "option"] {
                #expect(FileManager.default.fileExists(atPath: sandbox.path(of: name) + "/x"), "\(name)")
            }
            #expect(server.requests.allSatisfy { $0["user-agent"] == "configured/1" })
        }
    }

    @Test("an unknown key stops every command with the file and the line, and nothing is done")
    func unknownKey() async throws {
        try await Sandbox.open { sandbox in
            try sandbox.configure("{\n  \"job\": 3\n}")
            for command in [["list"], ["get", "http://127.0.0.1:1/x"], ["config"]] {
                let outcome = try await sandbox.launch(command).outcome()
                outcome.expect(64)
                #expect(outcome.errors.contains("\(sandbox.configuration), line 2: unknown key \"job\""))
                #expect(outcome.output.isEmpty)
            }
            #expect(!FileManager.default.fileExists(atPath: sandbox.data))
            let doctor = try await sandbox.ferry("doctor")
            doctor.expect(1)
            #expect(doctor.output.contains("PROBLEM settings: \(sandbox.configuration), line 2"))
            #expect(doctor.output.contains("passwords: "), "the other checks are made")
            // Another file, or no file, can always be chosen.
            try await sandbox.ferry("list", "--config", "/dev/null").expect(0)
        }
    }

    @Test("ferry config shows each setting with its source, and no password")
    func report() async throws {
        try await Sandbox.open { sandbox in
            try sandbox.configure("{\n\"proxy\": \"http://me:hush@127.0.0.1:9\",\n\"retries\": 3}")
            let outcome = try await sandbox.ferry("config", "--json", environment: ["FERRY_JOBS": "2"])
            outcome.expect(0)
            #expect(!outcome.output.contains("hush"))
            let rows = try outcome.output.split(separator: "\n").map { line in
                try JSONDecoder().decode(Row.self, from: Data(line.utf8))
            }
            let byKey = Dictionary(uniqueKeysWithValues: rows.map { ($0.key, $0) })
            #expect(
                byKey["proxy"]
                    == Row("proxy", "http://127.0.0.1:9", "file", file: sandbox.configuration, line: 2)
            )
            #expect(byKey["retries"] == Row("retries", "3", "file", file: sandbox.configuration, line: 3))
            #expect(byKey["jobs"] == Row("jobs", "2", "environment", variable: "FERRY_JOBS"))
            #expect(byKey["timeout"] == Row("timeout", "60", "default"))
            #expect(byKey["data-dir"]?.value == sandbox.data)
            let text = try await sandbox.ferry("config")
            text.expect(0)
            #expect(!text.output.contains("hush") && text.output.contains("\(sandbox.configuration), line 2"))

            try FileManager.default.setAttributes(
                [.posixPermissions: 0o644],
                ofItemAtPath: sandbox.configuration
            )
            let refused = try await sandbox.ferry("list")
            refused.expect(15)
            #expect(refused.errors.contains("chmod 600") && !refused.errors.contains("hush"))
        }
    }

    private struct Row: Hashable, Decodable {
        var key: String
        var value: String?
        var from: String
        var file: String?
        var line: Int?
        var variable: String?

        init(
            _ key: String,
            _ value: String,
            _ from: String,
            file: String? = nil,
            line: Int? = nil,
            variable: String? = nil
        ) {
            self.key = key
            self.value = value
            self.from = from
            self.file = file
            self.line = line
            self.variable = variable
        }
    }
}

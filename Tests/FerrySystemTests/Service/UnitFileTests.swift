import Foundation
import Testing

/// The systemd unit file of Ferry.
@Suite("The unit file", .limitedParallelism)
struct UnitFileTests {
    static let analyzer = Tool("systemd-analyze")

    private func unit() throws -> String {
        try String(contentsOfFile: "\(Repository.root)/packaging/ferry.service", encoding: .utf8)
    }

    @Test("its command line is valid, and it gives ferry time to stop")
    func commandLine() async throws {
        let lines = try unit().split(separator: "\n")
        let start = try #require(lines.first { $0.hasPrefix("ExecStart=") })
        let words = start.split(separator: " ").map(String.init)
        #expect(words.first?.hasSuffix("/ferry") == true)
        try await Sandbox.open { sandbox in
            try await sandbox.launch(words.dropFirst() + ["--help"]).outcome().expect(0)
        }
        #expect(lines.contains("Type=notify"))
        let patience = try #require(
            lines.first { $0.hasPrefix("TimeoutStopSec=") }?.split(separator: "=").last
        )
        #expect(Int(patience).map { $0 > 5 } == true)
    }

    @Test(
        "systemd-analyze finds no fault in it",
        .enabled(if: analyzer.isInstalled, "systemd-analyze is not installed")
    )
    func verification() async throws {
        try await Sandbox.open { sandbox in
            // Ferry is not installed on the machine of the tests.
            let text = try unit().replacing("/usr/local/bin/ferry", with: Repository.ferry)
            let path = "\(sandbox.root)/ferry.service"
            try Data(text.utf8).write(to: URL(fileURLWithPath: path))
            let runtime = "\(sandbox.root)/runtime"
            try FileManager.default.createDirectory(atPath: runtime, withIntermediateDirectories: true)
            let outcome = try await sandbox.launch(
                executable: try Self.analyzer.requiredPath(),
                ["--user", "--man=no", "verify", path],
                environment: ["XDG_RUNTIME_DIR": runtime]
            ).outcome()
            outcome.expect(0)
            #expect(!(outcome.errors + outcome.output).contains("ferry.service"), "\(outcome.errors)")
        }
    }
}

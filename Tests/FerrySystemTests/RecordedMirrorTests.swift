import Foundation
import Testing

/// Mirrors, as the real tool accepts and shows them.
@Suite("Recorded mirrors")
struct RecordedMirrorTests {
    @Test("mirrors from the command line and from a list are recorded in order")
    func recordedMirrors() async throws {
        try await Sandbox.open { sandbox in
            let mirrors = ["--mirror", "https://b.example/x", "--mirror", "https://c.example/y"]
            try await sandbox.launch(["add", "https://a.example/f"] + mirrors).outcome().expect(0)
            let list = sandbox.root + "/list"
            try "https://d.example/f\thttps://e.example/f\n".write(
                toFile: list,
                atomically: true,
                encoding: .utf8
            )
            try await sandbox.ferry("add", "-i", list).expect(0)
            let first = try await sandbox.ferry("show", "1").output.split(separator: "\n")
            #expect(
                first.filter { $0.contains("Mirror") }.map { $0.suffix(19) } == [
                    "https://b.example/x", "https://c.example/y",
                ]
            )
            #expect(try await sandbox.ferry("show", "2").output.contains("Mirror        https://e.example/f"))
        }
    }
}

import Foundation
import Testing

/// What another program did to the store is found, mended and told.
@Suite("Mending", .berths)
struct MendingTests {
    @Test(
        "what the store derives from its transfers is mended, and the doctor says so",
        .enabled(if: Tool.python.isInstalled, "python3 is not installed")
    )
    func theDoctorSaysWhatItMended() async throws {
        try await Harbour.open { harbour in
            try await harbour.ferry("add", "http://127.0.0.1:9/a").expect(0)
            let code = """
                import sqlite3, sys
                store = sqlite3.connect(sys.argv[1])
                store.execute("DELETE FROM head")
                store.commit()
                """
            let damaging = try await harbour.launch(
                executable: try Tool.python.requiredPath(),
                ["-c", code, harbour.data + "/ferry.sqlite"]
            ).outcome()
            #expect(damaging.status == 0)
            let first = try await harbour.ferry("doctor")
            #expect(first.output.contains("mended: of 1 line of transfers"), "\(first.output)")
            #expect(!first.output.contains("Move the data directory aside"))
            let second = try await harbour.ferry("doctor")
            #expect(second.output.contains("whole") && !second.output.contains("mended"), "\(second.output)")
            #expect(try await harbour.transfers().count == 1)
        }
    }
}

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

    @Test(
        "a damaged row that waits keeps no other from being run, and is told, and forgotten when it is removed",
        .enabled(if: Tool.python.isInstalled, "python3 is not installed"),
        arguments: ["network", "diskSpace", "newURL"]
    )
    func othersRunBesideADamagedRow(_ condition: String) async throws {
        let content = Content(count: 10_000, seed: 612)
        let reply = ScriptedReply(body: Array(content.bytes))
        try await ScriptedServer.run { _ in
            reply
        } _: { server in
            try await Harbour.open { harbour in
                for name in ["bad.bin", "good.bin"] {
                    try await harbour.ferry("add", server.url(name)).expect(0)
                }
                let code = """
                    import sqlite3, sys
                    store = sqlite3.connect(sys.argv[1])
                    store.execute("UPDATE work SET options = '{' WHERE id = 1")
                    store.execute("UPDATE transfer SET state = 'waiting', condition = ?, runnable = 0, "
                        "needed = 1 WHERE id = 1", (sys.argv[2],))
                    store.commit()
                    """
                let damaging = try await harbour.launch(
                    executable: try Tool.python.requiredPath(),
                    ["-c", code, harbour.data + "/ferry.sqlite", condition]
                ).outcome()
                #expect(damaging.status == 0, "\(damaging.errors)")
                let run = try await harbour.ferry("run")
                #expect([0, 7].contains(run.status), "\(run.errors)")
                try harbour.expectOnly("good.bin", content)
                let list = try await harbour.ferry("list", "--all")
                list.expect(0)
                for words in [
                    ["show"], ["resume"], ["pause"], ["cancel"], ["retry"], ["edit", "--retries", "1"],
                    ["watch"],
                ] {
                    let told = try await harbour.launch(words + ["1"]).outcome()
                    told.expect(15)
                    #expect(told.errors.contains("`ferry remove 1`"), "\(words): \(told.errors)")
                    #expect(!told.errors.contains("Move it aside"), "\(words): \(told.errors)")
                }
                #expect(list.errors.contains("Transfer 1 is damaged") && list.output.contains("good.bin"))
                let json = try await harbour.ferry("list", "--all", "--json")
                #expect(json.output.contains(#""state":"damaged""#))
                #expect(try await harbour.ferry("doctor").output.contains("transfer 1"))
                try await harbour.ferry("remove", "1").expect(0)
                try await harbour.ferry("run").expect(0)
                #expect(try await harbour.transfers().map(\.id) == [2])
            }
        }
    }

    @Test(
        "no row that was edited by hand keeps a run from its end, and the doctor finds it",
        .enabled(if: Tool.python.isInstalled, "python3 is not installed"),
        arguments: [
            "INSERT INTO dependency VALUES (99, 1)", "UPDATE transfer SET owner = 77 WHERE id = 2",
            "UPDATE transfer SET wake_at = 99999999999999 WHERE id = 1",
            "UPDATE transfer SET host = 'other.example' WHERE id = 1",
            "UPDATE transfer SET state = 'active', owner = 77, runnable = 0 WHERE id = 1",
        ]
    )
    func editedByHand(_ damage: String) async throws {
        let content = Content(count: 10_000, seed: 613)
        let reply = ScriptedReply(body: Array(content.bytes))
        try await ScriptedServer.run { _ in
            reply
        } _: { server in
            try await Harbour.open { harbour in
                try await harbour.ferry("add", server.url("a.bin")).expect(0)
                try await harbour.ferry("add", "--after", "1", server.url("b.bin")).expect(0)
                let code = """
                    import sqlite3, sys
                    store = sqlite3.connect(sys.argv[1])
                    store.execute("PRAGMA ignore_check_constraints = ON")
                    store.execute(sys.argv[2])
                    store.commit()
                    """
                func edit() async throws {
                    let damaging = try await harbour.launch(
                        executable: try Tool.python.requiredPath(),
                        ["-c", code, harbour.data + "/ferry.sqlite", damage]
                    ).outcome()
                    #expect(damaging.status == 0, "\(damaging.errors)")
                }
                try await edit()
                let doctor = try await harbour.ferry("doctor")
                #expect(doctor.output.contains("mended: "), "\(doctor.output)")
                let again = try await harbour.ferry("doctor")
                #expect(again.output.contains("whole") && !again.output.contains("mended"), "\(again.output)")
                try await edit()
                try await harbour.ferry("run").expect(0)
                for name in ["a.bin", "b.bin"] { #expect(content.isWhole(at: harbour.landed(name))) }
                #expect(try await harbour.ferry("doctor").output.contains("whole"))
            }
        }
    }
}

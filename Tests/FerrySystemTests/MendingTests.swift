import Foundation
import Testing

/// Damage by another program to the store is found, repaired and reported.
@Suite("Mending", .limitedParallelism)
struct MendingTests {
    /// Executes statements of SQL in the store of a sandbox, as a person could.
    private func execute(_ statements: [String], in sandbox: Sandbox) async throws {
        let code = """
            import sqlite3, sys
            store = sqlite3.connect(sys.argv[1])
            for statement in sys.argv[2:]:
                store.execute(statement)
            store.commit()
            """
        try await sandbox.launch(
            executable: try Tool.python.requiredPath(),
            ["-c", code, sandbox.data + "/ferry.sqlite"] + statements
        ).outcome().expect(0)
    }

    @Test(
        "derived data in the store is repaired, and the doctor says so",
        .enabled(if: Tool.python.isInstalled, "python3 is not installed")
    )
    func theDoctorSaysWhatItMended() async throws {
        try await Sandbox.open { sandbox in
            try await sandbox.ferry("add", "http://127.0.0.1:9/a").expect(0)
            try await execute(["DELETE FROM head"], in: sandbox)
            let first = try await sandbox.ferry("doctor")
            #expect(
                first.output.contains("repaired: the first transfer of 1 line is not recorded"),
                "\(first.output)"
            )
            #expect(!first.output.contains("Move the data directory aside"))
            let second = try await sandbox.ferry("doctor")
            #expect(
                second.output.contains("intact") && !second.output.contains("repaired"),
                "\(second.output)"
            )
            #expect(try await sandbox.transfers().count == 1)
        }
    }

    @Test(
        "a damaged row does not block other transfers, is reported, and can be removed",
        .enabled(if: Tool.python.isInstalled, "python3 is not installed"),
        arguments: ["network", "diskSpace", "diskMount", "newURL"]
    )
    func othersRunBesideADamagedRow(_ condition: String) async throws {
        let content = Content(count: 10_000, seed: 612)
        let reply = ScriptedReply(body: Array(content.bytes))
        try await ScriptedServer.run { _ in
            reply
        } _: { sandbox, server in
            for name in ["bad.bin", "good.bin"] {
                try await sandbox.ferry("add", server.url(name)).expect(0)
            }
            let waiting = "state = 'waiting', condition = '\(condition)', runnable = 0, needed = 1"
            try await execute(
                [
                    "UPDATE work SET options = '{' WHERE id = 1",
                    "UPDATE transfer SET \(waiting) WHERE id = 1",
                ],
                in: sandbox
            )
            let run = try await sandbox.ferry("run")
            #expect([0, 7].contains(run.status), "\(run.errors)")
            try sandbox.expectOnly("good.bin", content)
            let list = try await sandbox.ferry("list", "--all")
            list.expect(0)
            for words in [
                ["show"], ["resume"], ["pause"], ["cancel"], ["retry"], ["edit", "--retries", "1"],
                ["watch"],
            ] {
                let told = try await sandbox.launch(words + ["1"]).outcome()
                told.expect(15)
                #expect(told.errors.contains("`ferry remove 1`"), "\(words): \(told.errors)")
                #expect(!told.errors.contains("Move it away"), "\(words): \(told.errors)")
            }
            #expect(list.errors.contains("Transfer 1 is damaged") && list.output.contains("good.bin"))
            let json = try await sandbox.ferry("list", "--all", "--json")
            #expect(json.output.contains(#""state":"damaged""#))
            #expect(try await sandbox.ferry("doctor").output.contains("transfer 1"))
            try await sandbox.ferry("remove", "1").expect(0)
            try await sandbox.ferry("run").expect(0)
            #expect(try await sandbox.transfers().map(\.id) == [2])
        }
    }

    @Test(
        "a transfer of a newer Ferry is named, left as it is, and does not keep a run from ending",
        .enabled(if: Tool.python.isInstalled, "python3 is not installed")
    )
    func leavesATransferOfANewerFerry() async throws {
        let content = Content(count: 10_000, seed: 613)
        let reply = ScriptedReply(body: Array(content.bytes))
        try await ScriptedServer.run { _ in
            reply
        } _: { sandbox, server in
            for name in ["new.bin", "good.bin"] {
                try await sandbox.ferry("add", server.url(name)).expect(0)
            }
            try await execute(
                ["UPDATE work SET kind = 'orchard', options = '{}' WHERE id = 1"],
                in: sandbox
            )
            try await sandbox.ferry("run").expect(0)
            try sandbox.expectOnly("good.bin", content)
            let list = try await sandbox.ferry("list", "--all")
            list.expect(0)
            let reason = #"its kind is "orchard", which this version does not know"#
            #expect(
                list.errors.contains(reason) && list.errors.contains("Update ferry."),
                "\(list.errors)"
            )
            #expect(!list.errors.contains("damaged"), "\(list.errors)")
            for words in [["show"], ["resume"], ["cancel"], ["remove"]] {
                let told = try await sandbox.launch(words + ["1"]).outcome()
                told.expect(15)
                #expect(
                    told.errors.contains(reason) && told.errors.contains("Update ferry."),
                    "\(told.errors)"
                )
            }
            let json = try await sandbox.ferry("list", "--all", "--json")
            #expect(json.output.contains(#""id":1,"state":"newer""#), "\(json.output)")
            let doctor = try await sandbox.ferry("doctor")
            #expect(
                doctor.output.contains(reason) && doctor.output.contains("intact"),
                "\(doctor.output)"
            )
            #expect(!doctor.output.contains("repaired"), "\(doctor.output)")
        }
    }

    @Test(
        "a row edited by hand does not keep a run from ending, and the doctor finds it",
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
        } _: { sandbox, server in
            try await sandbox.ferry("add", server.url("a.bin")).expect(0)
            try await sandbox.ferry("add", "--after", "1", server.url("b.bin")).expect(0)
            func edit() async throws {
                try await execute(["PRAGMA ignore_check_constraints = ON", damage], in: sandbox)
            }
            try await edit()
            let doctor = try await sandbox.ferry("doctor")
            #expect(doctor.output.contains("repaired: "), "\(doctor.output)")
            let again = try await sandbox.ferry("doctor")
            #expect(
                again.output.contains("intact") && !again.output.contains("repaired"),
                "\(again.output)"
            )
            try await edit()
            try await sandbox.ferry("run").expect(0)
            for name in ["a.bin", "b.bin"] { #expect(content.isWhole(at: sandbox.path(of: name))) }
            #expect(try await sandbox.ferry("doctor").output.contains("intact"))
        }
    }
}

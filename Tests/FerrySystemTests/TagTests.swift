import Testing

/// Tags that a user gives to transfers.
struct TagTests {
    @Test("transfers can be listed by tag, page by page, and show their tags")
    func list() async throws {
        try await Sandbox.open { sandbox in
            for (name, tag) in [("first", "the list's"), ("second", "other"), ("third", "the list's")] {
                try await sandbox.ferry("add", "--tag", tag, "http://127.0.0.1:9/\(name)").expect(0)
            }
            try await sandbox.ferry("add", "http://127.0.0.1:9/d").expect(0)
            let page = try await sandbox.ferry("list", "--tag", "the list's", "--limit", "1")
            #expect(page.output.contains("first") && !page.output.contains("third"), "\(page.output)")
            let next = #"`ferry list --tag 'the list'\''s' --limit 1 --after 1`"#
            #expect(page.errors.contains(next), "\(page.errors)")
            let listed = try await sandbox.ferry("list", "--json", "--tag", "the list's")
            #expect(listed.output.split(separator: "\n").count == 2, "\(listed.output)")
            #expect(listed.output.contains(#""tag":"the list's""#), "\(listed.output)")
            let shown = try await sandbox.ferry("show", "2")
            #expect(shown.output.contains("other"), "\(shown.output)")
            let refused = try await sandbox.ferry("add", "--tag", "", "http://127.0.0.1:9/e")
            #expect(
                refused.status == 64 && refused.errors.contains("The name is empty."),
                "\(refused.errors)"
            )
            #expect(
                try await sandbox.ferry("list", "--tag", "none").errors.contains("No unfinished transfers.")
            )
        }
    }

    @Test("transfers are paused and cancelled by queue and tag, and the queue's run says which are left")
    func steer() async throws {
        try await Sandbox.open { sandbox in
            for (name, tag, queue) in [("a", "one", "x"), ("b", "one", "y"), ("c", "two", "y")] {
                let words = ["add", "--tag", tag, "--queue", queue, "http://127.0.0.1:9/\(name)"]
                try await sandbox.launch(words).outcome().expect(0)
            }
            try await sandbox.ferry("pause", "--queue", "y", "--tag", "one").expect(0)
            #expect(try await sandbox.transfers().map(\.state) == ["queued", "paused", "queued"])
            try await sandbox.ferry("pause", "--queue", "y").expect(0)
            #expect(try await sandbox.transfers().map(\.state) == ["queued", "paused", "paused"])
            try await sandbox.ferry("cancel", "--queue", "x").expect(0)
            let run = try await sandbox.ferry("run")
            run.expect(7)
            let left = "2 paused: b (transfer 2), c (transfer 3). `ferry resume 2 3` resumes them."
            #expect(
                run.errors.contains("No transfer could run.") && run.errors.contains(left),
                "\(run.errors)"
            )
            try await sandbox.ferry("run", "--json").expect(7)
            try await sandbox.ferry("cancel", "--tag", "two").expect(0)
            #expect(try await sandbox.transfers().map(\.state) == ["cancelled", "paused", "cancelled"])
            for option in ["--queue", "--tag"] {
                let refused = try await sandbox.ferry("cancel", option, "y", "2")
                #expect(
                    refused.status == 64 && refused.errors.contains("\(option) and IDs"),
                    "\(refused.errors)"
                )
            }
            let listed = try await sandbox.ferry("list", "--queue", "y")
            let hidden = "Not shown: 1 cancelled. `ferry list --all --queue y` shows them."
            #expect(listed.output.contains("b") && listed.errors.contains(hidden), "\(listed)")
            // A line for each of several transfers, and one for all.
            try await sandbox.ferry("add", "--queue", "y", "http://127.0.0.1:9/d").expect(0)
            let all = try await sandbox.ferry("cancel", "--all")
            all.expect(0)
            #expect(all.errors.contains("Transfer 2, b: cancelled."), "\(all.errors)")
            #expect(all.errors.contains("Transfers: 2 cancelled. Completed files stay"), "\(all.errors)")
        }
    }
}

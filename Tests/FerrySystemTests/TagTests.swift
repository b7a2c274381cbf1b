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
            #expect(refused.status == 64 && refused.errors.contains("The tag is empty."), "\(refused.errors)")
            #expect(
                try await sandbox.ferry("list", "--tag", "none").errors.contains("No unfinished transfers.")
            )
        }
    }
}

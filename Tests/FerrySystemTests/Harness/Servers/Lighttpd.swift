/// lighttpd. It limits its own rate.
struct Lighttpd: ServerKind {
    var name: String { "lighttpd" }
    var tool: Tool { .lighttpd }

    func command(_ plan: ServerPlan) throws -> [String] {
        let pace =
            plan.options.bytesPerSecond.map { "connection.kbytes-per-second = \($0 / .kibibyte)" } ?? ""
        let path = try plan.write(
            """
            server.document-root = "\(plan.site)"
            server.bind = "127.0.0.1"
            server.port = \(plan.port)
            server.errorlog = "\(plan.directory)/error.log"
            server.upload-dirs = ("\(plan.directory)")
            \(pace)
            \(plan.options.listsDirectories ? "server.stat-cache-engine = \"disable\"\ndir-listing.activate = \"enable\"\nserver.modules += (\"mod_dirlisting\")" : "")

            """,
            as: "lighttpd.conf"
        )
        return [try tool.requiredPath(), "-D", "-f", path]
    }
}

/// Caddy. It sends as fast as it can, so tests limit the rate in ferry itself.
struct Caddy: ServerKind {
    var name: String { "Caddy" }
    var tool: Tool { .caddy }

    func command(_ plan: ServerPlan) throws -> [String] {
        let path = try plan.write(
            """
            {
                admin off
                auto_https off
                persist_config off
            }
            http://127.0.0.1:\(plan.port) {
                root * \(plan.site)
                file_server\(plan.options.listsDirectories ? " browse" : "")
            }

            """,
            as: "Caddyfile"
        )
        return [try tool.requiredPath(), "run", "--config", path, "--adapter", "caddyfile"]
    }
}

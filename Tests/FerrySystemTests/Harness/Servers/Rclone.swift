/// rclone, which serves the site over WebDAV.
struct Rclone: ServerKind {
    var name: String { "rclone" }
    var tool: Tool { Tool("rclone") }

    func command(_ plan: ServerPlan) throws -> [String] {
        [
            try tool.requiredPath(), "serve", "webdav", plan.site, "--addr", "127.0.0.1:\(plan.port)",
            "--config", "\(plan.directory)/rclone.conf",
        ]
    }
}

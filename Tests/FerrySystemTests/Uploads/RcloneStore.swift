/// rclone, which serves a folder as an object store.
struct RcloneStore: ObjectStoreServer {
    var name: String { "rclone serve s3" }
    var tool: Tool { .uploadRclone }

    func command(_ plan: ServerPlan) throws -> [String] {
        [
            try tool.requiredPath(), "serve", "s3", plan.site, "--addr", "127.0.0.1:\(plan.port)",
            "--auth-key", "\(SeaweedFS.accessKey),\(SeaweedFS.secret)",
            "--config", "\(plan.directory)/rclone.conf",
        ]
    }
}

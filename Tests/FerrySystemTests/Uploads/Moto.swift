/// moto, which imitates S3 for the tests of others. It keeps objects in memory.
struct Moto: ObjectStoreServer {
    var name: String { "moto" }
    var tool: Tool { Tool("moto_server", in: "uploads") }

    func command(_ plan: ServerPlan) throws -> [String] {
        [try tool.requiredPath(), "-H", "127.0.0.1", "-p", "\(plan.port)"]
    }
}

/// Python's http.server, which knows neither ranges nor entity tags and answers every request with the whole file.
struct PythonHTTPServer: ServerKind {
    var name: String { "Python's http.server" }
    var tool: Tool { .python }

    func command(_ plan: ServerPlan) throws -> [String] {
        [
            try tool.requiredPath(), "-m", "http.server", "\(plan.port)", "--bind", "127.0.0.1",
            "--directory", plan.site,
        ]
    }
}

import Foundation

/// What `ferry list --json` says of a request or an upload.
struct ListedRequest: Decodable, Sendable {
    /// Why it has failed, or why its latest attempt did.
    struct Failure: Decodable, Sendable {
        var code: String
        var message: String
    }

    var id: Int
    var state: String
    var url: String
    /// The status of the response.
    var status: Int?
    var failure: Failure?

    /// The last segment of its URL.
    var name: String { url.split(separator: "/").last.map(String.init) ?? "" }

    /// Whether it is unknown if it has arrived.
    var isUnknown: Bool { state == "failed" && failure?.code == "outcomeUnknown" }

    /// Reads the output of `ferry list --json`, and returns all but the downloads in the order of their IDs.
    static func all(in output: String) throws -> [ListedRequest] {
        let lines = try output.split(separator: "\n").filter { line in
            try ListedTransfer.all(in: String(line)).allSatisfy { $0.kind != "download" }
        }
        let requests = try lines.map { line in
            try JSONDecoder().decode(ListedRequest.self, from: Data(line.utf8))
        }
        return requests.sorted { $0.id < $1.id }
    }
}

extension Sandbox {
    /// All requests and uploads in the sandbox's store, as another process lists them.
    func requests(environment: [String: String] = [:]) async throws -> [ListedRequest] {
        let list = try await ferry("list", "--all", "--json", environment: environment)
        guard list.status == 0 else { throw Overdue(what: "a list", after: .zero, said: list.errors) }
        return try ListedRequest.all(in: list.output)
    }
}

import Foundation
import Testing

/// What `ferry list --json` says of a transfer.
struct ListedTransfer: Hashable, Sendable, Decodable {
    var id: Int
    var kind: String
    var state: String
    var received: Int
    var total: Int?
    var attempts: Int
    var process: Int?
    var name: String?
    /// `nil` for a request.
    var durable: Int?
    var waitingFor: Wait?

    /// What a transfer waits for.
    struct Wait: Hashable, Sendable, Decodable {
        var condition: String
    }

    /// Reads the output of `ferry list --json`, and returns the transfers in the order of their IDs.
    static func all(in output: String) throws -> [ListedTransfer] {
        let listed = try output.split(separator: "\n").map { line in
            try JSONDecoder().decode(ListedTransfer.self, from: Data(line.utf8))
        }
        return listed.sorted { $0.id < $1.id }
    }
}

extension Sandbox {
    /// All transfers in the sandbox's store, as another process lists them, in the order of their IDs.
    func transfers() async throws -> [ListedTransfer] {
        let outcome = try await ferry("list", "--all", "--json")
        guard outcome.status == 0 else { throw Overdue(what: "a list", after: .zero, said: outcome.errors) }
        return try ListedTransfer.all(in: outcome.output)
    }

    /// Waits until `condition` holds for the only transfer, as another process lists it.
    @discardableResult
    func transferBecomes(
        _ what: String,
        where condition: (ListedTransfer) -> Bool
    ) async throws -> ListedTransfer {
        var found: ListedTransfer?
        try await Deadline.wait(
            for: "the transfer to become \(what)",
            said: { "\(String(describing: found))" }
        ) {
            found = try await transfers().first
            return found.map(condition) ?? false
        }
        return try #require(found)
    }

    /// Expects one complete file in the working directory, and no other.
    func expectOnly(
        _ name: String,
        _ content: Content,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let names = try fileNames()
        #expect(names == [name], sourceLocation: sourceLocation)
        #expect(content.isWhole(at: path(of: name)), "the bytes differ", sourceLocation: sourceLocation)
    }
}

extension Outcome {
    /// Expects an exit status. On failure it shows both outputs.
    func expect(_ status: Int32, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(
            exit == .status(status),
            "\(commandLine)\n--- output\n\(output.suffix(2000))\n--- errors\n\(errors.suffix(2000))",
            sourceLocation: sourceLocation
        )
        // Libraries print this when they are used wrongly.
        #expect(!errors.contains("ERROR: "), "\(commandLine): \(errors)", sourceLocation: sourceLocation)
    }
}

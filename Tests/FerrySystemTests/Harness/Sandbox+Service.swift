import Foundation
import Testing

extension Sandbox {
    /// The path of ferry's configuration file.
    var configuration: String { home + "/.config/ferry/config.json" }

    /// Writes the configuration file.
    func configure(_ text: String) throws {
        let directory = home + "/.config/ferry"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: URL(fileURLWithPath: configuration))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: configuration)
    }

    /// Starts a service, and returns when it is ready.
    func serve(
        _ options: [String] = [],
        name: String = "notify",
        environment: [String: String] = [:]
    ) async throws -> (process: ChildProcess, manager: NotifyListener) {
        let manager = try NotifyListener(at: "\(root)/\(name)")
        var variables = environment
        variables["NOTIFY_SOCKET"] = manager.name
        let process = try launch(["run", "--forever"] + options, environment: variables)
        try await manager.hears("READY=1")
        return (process, manager)
    }

    /// Waits until `condition` holds for all transfers, as another process lists them.
    @discardableResult
    func transfersBecome(
        _ what: String,
        where condition: ([ListedTransfer]) -> Bool
    ) async throws -> [ListedTransfer] {
        var found: [ListedTransfer] = []
        try await Deadline.wait(for: "the transfers to become \(what)", said: { "\(found)\n\(saidSoFar)" }) {
            found = try await transfers()
            return condition(found)
        }
        return found
    }
}

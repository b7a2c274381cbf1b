import Console
import Ferry
import ServiceLifecycle

/// Takes orders, a URL a line, until the service is stopped.
struct OrderDesk: Service {
    let engine: TransferEngine
    let directory: String

    func run() async throws {
        for await line in Console.lines.cancelOnGracefulShutdown() {
            do {
                let url = try HTTPURL(parsing: line)
                let order = try await engine.add(from: url, to: .file(directory: directory, name: nil))
                // It is now on the disk: no crash and no power cut can lose it.
                Console.say("Order \(order.id): accepted")
            } catch let error as HTTPURL.ParseError {
                Console.say("\(line): \(error)")
            }
        }
    }
}

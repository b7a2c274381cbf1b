import Console
import Ferry
import ServiceLifecycle

/// Tells what becomes of the orders.
struct Clerk: Service {
    let updates: TransferUpdates

    /// The updates end when the engine does, after the last of them.
    func run() async throws {
        for await update in updates {
            let transfer = update.transfer
            switch transfer.state {
            case .completed: Console.say("Order \(transfer.id): \(transfer.finalPath ?? "")")
            case .failed(let failure): Console.say("Order \(transfer.id): \(failure)")
            case .cancelled: Console.say("Order \(transfer.id): cancelled")
            case .queued, .active, .waiting, .paused: break
            }
        }
        // The engine ends before it. The group takes a service that ends before its turn for one that has failed.
        try await gracefulShutdown()
    }
}

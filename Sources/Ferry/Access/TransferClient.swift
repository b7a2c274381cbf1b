import FerryCore
package import Logging

/// Adds, steers and reads the transfers of a store, without running any.
///
/// It opens the store and nothing else: no socket, no thread before it touches a file, and no watch of the network. A
/// process that runs the queue (``TransferEngine``, or `ferry run`) does the work; until such a process runs, added
/// transfers wait. Use it in a route of a web server, in a command, or in an app extension. A program with an engine
/// needs no client, as an engine can do the same; it may open both.
///
/// ```swift
/// let client = try await TransferClient.open(dataDirectory: "/var/lib/app")
/// let download = try await client.add(from: url, to: .file(directory: "/srv/images", name: nil))
/// // Waits until another process has run the transfer.
/// let file = try await download.value()
/// await client.close()
/// ```
public final class TransferClient: TransferAccess, Sendable {
    let seams: ClientSeams
    let ownership: Ownership
    /// The engine that this client belongs to; `nil` for a client without an engine.
    let link: EngineLink?
    private let logger: Logger

    init(seams: ClientSeams, ownership: Ownership, logger: Logger, link: EngineLink? = nil) {
        self.seams = seams
        self.ownership = ownership
        self.logger = logger
        self.link = link
    }

    /// A client without an engine.
    package convenience init(seams: ClientSeams, logger: Logger = Logger(label: "ferry")) {
        self.init(seams: seams, ownership: Ownership(seams: seams, logger: logger), logger: logger)
    }

    /// This client.
    public var client: TransferClient { self }

    var store: any TransferStore { seams.store }
    var now: Instant { seams.clock.now }
    /// The files of its pools.
    var poolFiles: PoolFiles { PoolFiles(seams, logger) }

    /// Closes the store. The engine must not be running; do not use it afterwards.
    public func close() async {
        await closeStore()
        await seams.release()
    }

    /// Leaves the owners and closes the store, but releases nothing that an engine may still use.
    func closeStore() async {
        do {
            try await ownership.leave()
        } catch {
            logger.warning("Could not leave the store.", metadata: ["error": "\(error)"])
        }
        await removeUnaddedCopies()
        seams.host.resign()
        await seams.store.close()
    }

    /// Removes the copies of bodies whose transfers were not added. The store is asked, because it may have a transfer
    /// although the call that added it has failed.
    private func removeUnaddedCopies() async {
        guard seams.bodies.releaseAll() else { return }
        do {
            try await seams.removeUnneededCopies()
        } catch {
            logger.warning("Copies of bodies could not be removed.", metadata: ["error": "\(error)"])
        }
    }
}

import Ferry
import Foundation

/// The conversations as the user sees them. All of its work is done by one loop, one event after the other.
struct Inbox {
    /// What the loop reacts to.
    enum Event: Sendable {
        /// A line that the user has typed.
        case line(String)
        /// The user types no more.
        case end
        /// It is time to ask the server.
        case tick
        /// The transfer of a component has ended.
        case ended(Component, Transfer)
    }

    /// Not everything could be fetched.
    struct Unfinished: Error, CustomStringConvertible {
        let description = "Not everything could be fetched. Start the program again to resume."
    }

    /// The queue of all transfers.
    static let queue = "conversations"

    let engine: TransferEngine
    let source: ServerTree
    let shelf: Shelf
    let seesEverything: Bool

    private var tree: TransferTree { source.tree }

    /// Handles events until the input has ended and everything is here.
    func run(_ events: AsyncStream<Event>) async throws {
        try await updateIfPossible()
        for await event in events {
            switch event {
            case .line(let line): try await perform(line.split(separator: " ").map(String.init))
            case .tick: try await updateIfPossible()
            case .ended(let component, let transfer): try await noteEnd(of: component, transfer)
            case .end: return try await finish()
            }
        }
    }

    // MARK: Fetching

    /// Asks the server for changes, and fetches what is missing. Without a network, all that is here still works.
    @discardableResult
    private func updateIfPossible() async throws -> NeededSummary {
        do {
            try await update()
        } catch let failure as TransferFailure {
            Self.say("Showing what is here. \(failure.message)")
        }
        return try await fetch()
    }

    private func update() async throws {
        try await source.update()
        let nodes = try await source.nodes()
        try shelf.keep(only: Set(nodes.keys))
        for node in nodes.values where seesEverything && node.parent == nil { try await see(node.id) }
    }

    /// Adds a transfer for each item that needs one.
    @discardableResult
    func fetch(under id: NodeID? = nil) async throws -> NeededSummary {
        try await tree.downloadNeeded(under: id) { needed in
            let component = Component.allCases.first { needed.components.contains($0.mark) }
            guard let component, let source = needed.node.source else { return nil }
            var options = DownloadOptions()
            options.recipients = shelf.recipients
            // An older version may be here. If it is the version that the server has, it is not sent again.
            options.existingFile = .overwrite
            options.updates = true
            let name = try FileName(userGiven: shelf.name(component, of: needed.node.id))
            return NodeDownload(
                DownloadSpecification(
                    url: try source.resolving(component.rawValue),
                    destination: .file(directory: shelf.directory, name: name),
                    options: options
                ),
                components: component.mark,
                queue: Self.queue,
                priority: component.priority,
                type: component.type,
                tag: try TransferTag(needed.node.id.text)
            )
        }
    }

    /// A node has one transfer at a time: the next component follows when one has come.
    private func noteEnd(of component: Component, _ transfer: Transfer) async throws {
        guard let id = transfer.tag.map({ NodeID($0.text) }), try await tree.node(id) != nil else { return }
        switch transfer.state {
        case .completed where try await tree.isMarked(id, component.mark):
            // The server has sent another version than it has listed.
            try await updateIfPossible()
        case .completed: try await fetch(under: id)
        case .failed(let failure): Self.say("\(id): \(failure.message)")
        default: break
        }
    }

    private func finish() async throws {
        // Each round brings a component of each item. More are needed only if the server changes meanwhile, or fails.
        for _ in 0..<20 {
            let summary = try await updateIfPossible()
            if summary.added + summary.present == 0 { return }
            _ = try await engine.finish(.unfinished.of(queue: Self.queue))
        }
        throw Unfinished()
    }
}

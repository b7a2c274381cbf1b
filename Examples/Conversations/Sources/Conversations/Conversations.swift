import ArgumentParser
import Ferry
import Foundation

/// Keeps the conversations of a server in a directory, sealed, and shows them.
///
/// It reads commands from standard input: `see CONVERSATION`, `open ITEM`, `show` and `export FOLDER`. At the end of the input it
/// fetches what is still missing, and ends. Kill it at any moment and start it again: it resumes.
@main
struct Conversations: AsyncParsableCommand {
    @Argument(help: "The directory for what is fetched.")
    var directory: String

    @Argument(help: "The URL of the server, such as http://127.0.0.1:8080.")
    var server: String

    @Option(
        help: "The file of the identity, made if it is missing. Default: the text in CONVERSATIONS_IDENTITY."
    )
    var identity: String?

    @Flag(help: "Fetch the thumbnails of all conversations.")
    var seeEverything = false

    @Option(help: "Ask the server for changes every N seconds.")
    var every = 10

    func run() async throws {
        let directory = URL(fileURLWithPath: directory).path
        let shelf = try Shelf("\(directory)/items", try await identities())
        let (server, seesEverything, every) = (server, seeEverything, every)
        let configuration = EngineConfiguration(dataDirectory: "\(directory)/ferry")
        try await TransferEngine.withEngine(configuration) { engine in
            var queue = TransferQueue(Inbox.queue)
            (queue.slots, queue.perHost) = (4, 4)
            try await engine.setQueue(queue)
            let source = ServerTree(engine: engine, tree: engine.tree(named: "conversations"), server: server)
            let inbox = Inbox(engine: engine, source: source, shelf: shelf, seesEverything: seesEverything)
            let (events, sender) = AsyncStream.makeStream(of: Inbox.Event.self)
            for component in Component.allCases {
                engine.handle(component.type) { sender.yield(.ended(component, $0)) }
            }
            // Reading standard input blocks, so it has a thread of its own.
            Thread.detachNewThread {
                while let line = readLine() { sender.yield(.line(line)) }
                sender.yield(.end)
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    while true {
                        try await Task.sleep(for: .seconds(every))
                        sender.yield(.tick)
                    }
                }
                try await inbox.run(events)
                group.cancelAll()
            }
        }
    }

    /// The identities that files are sealed to, and opened with.
    private func identities() async throws -> [SealingIdentity] {
        guard let identity else {
            guard let text = ProcessInfo.processInfo.environment["CONVERSATIONS_IDENTITY"] else {
                throw ValidationError("Give an identity with --identity FILE or in CONVERSATIONS_IDENTITY.")
            }
            return [try SealingIdentity(parsing: text)]
        }
        let path = URL(fileURLWithPath: identity).path
        if !FileManager.default.fileExists(atPath: path) {
            let new = Data("\(SealingIdentity().secretText)\n".utf8)
            guard
                FileManager.default.createFile(
                    atPath: path,
                    contents: new,
                    attributes: [.posixPermissions: 0o600]
                )
            else { throw ValidationError("Cannot create \(path).") }
        }
        return try await SealingIdentity.read(path)
    }
}

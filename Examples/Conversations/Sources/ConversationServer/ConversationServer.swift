import ArgumentParser
import Hummingbird

/// A server with a tree of conversations, which change.
///
///     GET /conversations               lists the conversations
///     GET /conversations/ID/items      lists the items of a conversation: its messages and pictures
///     GET /items/ID/COMPONENT          the header, thumbnail or data of an item
///     POST /step/N                     makes N changes
///     GET /answers                     says what was answered to requests for components
@main
struct ConversationServer: AsyncParsableCommand {
    @Option(help: "The port to listen on.")
    var port = 8080

    @Option(help: "The seed of the changes: the same seed makes the same ones.")
    var seed: UInt64 = 1

    @Option(help: "The number of conversations at the beginning.")
    var conversations = 5

    @Option(help: "The number of items at the beginning.")
    var items = 40

    @Option(help: "Answer every Nth request for a component with 500 (0: none).")
    var fail = 0

    /// What there is, in lists.
    struct Entry: Encodable {
        var id: String
        var name: String
        var etag: String
    }

    /// A list, with its version.
    struct Listing: ResponseEncodable {
        var etag: String
        var entries: [Entry]
    }

    /// The world, which one request at a time looks at.
    actor Stage {
        private var world: World

        init(_ world: World) { self.world = world }

        var conversations: Listing {
            let entries = world.conversations.map { Entry(id: $0.id, name: $0.name, etag: $0.etag) }
            return Listing(etag: "\"world-\(world.revision)\"", entries: entries)
        }

        func items(of id: String) throws -> Listing {
            guard let conversation = world.conversations.first(where: { $0.id == id }) else {
                throw HTTPError(.notFound)
            }
            let entries = world.items(of: id).map { Entry(id: $0.id, name: $0.name, etag: $0.etag) }
            return Listing(etag: conversation.etag, entries: entries)
        }

        func item(_ id: String) throws -> World.Item {
            guard let item = world.item(id) else { throw HTTPError(.notFound) }
            return item
        }

        func step(_ count: Int) {
            for _ in 0..<count { world.step() }
        }
    }

    func run() async throws {
        let stage = Stage(World(seed: seed, conversations: conversations, items: items))
        let log = AnswerLog(failing: fail)
        let router = Router()
        router.get("/conversations") { request, context in
            try Self.tagged(await stage.conversations, request, context)
        }
        router.get("/conversations/:id/items") { request, context in
            try Self.tagged(await stage.items(of: context.parameters.require("id")), request, context)
        }
        router.get("/items/:id/:component") { request, context in
            let item = try await stage.item(context.parameters.require("id"))
            guard let component = Component(rawValue: try context.parameters.require("component")) else {
                throw HTTPError(.notFound)
            }
            let bytes = item.bytes(of: component)
            let answer = try ComponentAnswer(request.headers, length: bytes.count, etag: item.etag)
            let isCounted = answer.range != nil && request.headers[.init("X-Uncounted")!] == nil
            if isCounted { try await log.take() }
            let what = "\(item.id)/\(component.rawValue)/\(item.version)"
            return answer.response(bytes, of: what, notedIn: isCounted ? log : nil)
        }
        router.post("/step/:count") { _, context in
            await stage.step(try context.parameters.require("count", as: Int.self))
            return await stage.conversations
        }
        router.get("/answers") { _, _ in await log.all }
        let application = Application(
            router: router,
            configuration: .init(address: .hostname("127.0.0.1", port: port))
        )
        try await application.runService()
    }

    /// A list with its ETag.
    private static func tagged(
        _ listing: Listing,
        _ request: Request,
        _ context: some RequestContext
    ) throws -> Response {
        var response = try listing.response(from: request, context: context)
        response.headers[.init("ETag")!] = listing.etag
        return response
    }
}

import ArgumentParser
import Foundation
import Hummingbird

/// A server for photos and records, which counts what arrives.
///
///     PUT /photos/NAME     stores a photo and answers with its ID; the same again gets the same ID
///     POST /records        stores a record; the same Idempotency-Key again stores nothing and gets the same answer
///     GET /counts          says how many there are
@main
struct JournalServer: AsyncParsableCommand {
    @Option(help: "The port to listen on.")
    var port = 8080

    @Option(help: "The directory for the photos.")
    var directory: String

    @Option(help: "Answer every Nth request with 500, after it has had its effect (0: none).")
    var fail = 0

    /// What the server answers when it has stored something.
    struct Receipt: ResponseEncodable {
        var id: String
    }

    /// A record of a photo.
    struct Record: Decodable {
        var photo: String
        var name: String
    }

    func run() async throws {
        let ledger = Ledger(failing: fail)
        let directory = directory
        let router = Router()
        router.put("/photos/:name") { request, context in
            let name = try context.parameters.require("name")
            guard !name.hasPrefix("."), !name.contains("/") else { throw HTTPError(.badRequest) }
            try await Self.save(request.body, as: "\(directory)/\(name)")
            return Receipt(id: try await ledger.photo(named: name))
        }
        router.post("/records") { request, context in
            guard let key = request.headers[.init("Idempotency-Key")!] else {
                throw HTTPError(.badRequest, message: "A record needs an Idempotency-Key.")
            }
            let record = try await request.decode(as: Record.self, context: context)
            return Receipt(id: try await ledger.record(of: record.photo, key: key))
        }
        router.get("/counts") { _, _ in await ledger.counts }
        let application = Application(
            router: router,
            configuration: .init(address: .hostname("127.0.0.1", port: port))
        )
        try await application.runService()
    }

    /// Streams a body into a file, which gets its name when it is whole.
    private static func save(_ body: RequestBody, as path: String) async throws {
        let draft = "\(path).\(UUID().uuidString)"
        guard FileManager.default.createFile(atPath: draft, contents: nil) else {
            throw HTTPError(.internalServerError)
        }
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: draft))
        do {
            for try await buffer in body { try file.write(contentsOf: Data(buffer.readableBytesView)) }
            try file.close()
        } catch {
            try FileManager.default.removeItem(atPath: draft)
            throw error
        }
        guard rename(draft, path) == 0 else { throw HTTPError(.internalServerError) }
    }
}

import Ferry
import Hummingbird

/// The routes of the server.
struct Downloads: Sendable {
    let engine: TransferEngine
    let directory: String

    /// What a client asks for.
    struct Order: Decodable {
        var url: String
    }

    /// What a client is told.
    struct Status: ResponseEncodable {
        var id: Int64
        var state: String
        var received: Int64
        var total: Int64?
        /// Where the file is, when it is whole.
        var path: String?
        /// What went wrong in the latest attempt.
        var problem: String?
    }

    func router() -> Router<BasicRequestContext> {
        let router = Router()
        router.post("/downloads") { request, context in
            let order = try await request.decode(as: Order.self, context: context)
            let download = try await engine.add(
                from: url(order.url),
                to: .file(directory: directory, name: nil)
            )
            // The download is on the disk now: the client may rely on its ID.
            return EditedResponse(status: .accepted, response: try await status(of: download.id))
        }
        router.get("/downloads/:id") { _, context in
            try await status(of: id(in: context))
        }
        router.delete("/downloads/:id") { _, context in
            let id = try id(in: context)
            do {
                try await engine.cancel(id)
            } catch StoreError.noSuchTransfer {
                throw HTTPError(.notFound)
            } catch StoreError.notPossible {
                throw HTTPError(.conflict, message: "Download \(id) has ended.")
            }
            return try await status(of: id)
        }
        router.get("/health") { _, _ in
            guard await engine.isResponsive() else { throw HTTPError(.serviceUnavailable) }
            return "ok\n"
        }
        return router
    }

    private func status(of id: TransferID) async throws -> Status {
        let download = engine.transfer(id)
        do {
            let transfer = try await download.snapshot
            let progress = try await download.progress
            return Status(
                id: id.rawValue,
                state: transfer.state.name.rawValue,
                received: progress.received,
                total: progress.total,
                path: transfer.state == .completed ? transfer.finalPath : nil,
                problem: transfer.latestFailure?.message
            )
        } catch StoreError.noSuchTransfer {
            throw HTTPError(.notFound)
        }
    }

    private func id(in context: some RequestContext) throws -> TransferID {
        let text = try context.parameters.require("id")
        guard let id = TransferID(text) else { throw HTTPError(.badRequest, message: "\(text) is no ID.") }
        return id
    }

    private func url(_ text: String) throws -> HTTPURL {
        do {
            return try HTTPURL(parsing: text)
        } catch {
            throw HTTPError(.badRequest, message: "\(error)")
        }
    }
}

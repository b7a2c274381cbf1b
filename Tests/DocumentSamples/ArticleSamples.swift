import Ferry
import UnixSignals

/// The samples of the README, of the library's articles and of its symbols, as far as they are not taken from an example:
/// they compile here, as in a program of a stranger, and a test of the house compares them line by line.
enum ArticleSamples {
    static func firstDownload() async throws {
        try await TransferEngine.withEngine(EngineConfiguration(dataDirectory: "/var/lib/app")) { engine in
            let download = try await engine.download(
                from: HTTPURL(parsing: "https://example.org/big.iso"),
                to: .file(directory: "/srv/images", name: nil)
            )
            let file = try await download.value()
            print(file.path ?? "", file.length)
        }
    }

    static func objects(
        _ keys: @escaping @Sendable (String?) async -> (credentials: ObjectStoreCredentials, end: Instant?)?
    ) async throws {
        var configuration = EngineConfiguration(dataDirectory: "/var/lib/app")
        configuration.objectStoreAccess = { question in
            guard let key = await keys(question.reference.profile) else {
                throw ObjectStoreAccess.Failure("There is no key for \(question.bucket).")
            }
            return ObjectStoreAccess(key.credentials, expiration: key.end)
        }
        try await TransferEngine.withEngine(configuration) { engine in
            let object = HTTPURL(try ObjectName(parsing: "s3://images/2026/50% off.jpg"))
            let download = try await engine.download(
                from: object,
                to: .file(directory: "/srv/images", name: nil)
            )
            _ = try await download.value()
        }
    }

    static func caching(_ engine: TransferEngine, _ url: HTTPURL) async throws {
        let thumbnails = engine.cache("thumbnails")
        var limits = CacheEdit()
        limits.maxBytes = 256 << 20
        try await thumbnails.edit(limits)
        if let entry = try await thumbnails.get(url), let path = entry.path {
            print(path, entry.bytes)
        }
    }

    static func discovering(_ engine: TransferEngine, _ url: HTTPURL) async throws {
        let tree = engine.tree(named: "photos")
        try await tree.discover([
            NodeDiscovery(Node("album", name: "Summer")),
            NodeDiscovery(
                Node("photo", parent: "album", name: "sea.jpg", etag: "\"v1\"", source: url),
                markingIfChanged: .all
            ),
        ])
        try await tree.downloadNeeded { needed in
            needed.node.source.map { url in
                NodeDownload(
                    DownloadSpecification(url: url, destination: .file(directory: "/srv/photos", name: nil))
                )
            }
        }
    }

    static func marking(_ tree: TransferTree) async throws {
        try await tree.mark("photo", [.header, .thumbnail])
        if try await tree.isMarked("photo", .thumbnail) {
            try await tree.unmark("photo", .thumbnail, ifETagMatches: "\"v1\"")
        }
    }

    static func downloadingNeeded(_ tree: TransferTree) async throws {
        var options = DownloadOptions()
        // An older version of the file may be there.
        options.existingFile = .overwrite
        options.runsInBackground = false
        try await tree.downloadNeeded { needed in
            guard let source = needed.node.source else { return nil }
            return NodeDownload(
                DownloadSpecification(
                    url: source,
                    destination: .file(directory: "/srv/photos", name: nil),
                    options: options
                ),
                components: needed.components,
                priority: needed.components.contains(.thumbnail) ? 1 : 0
            )
        }
    }

    static func walking(_ tree: TransferTree) async throws {
        try await tree.walk { visited in
            print(String(repeating: "  ", count: visited.depth) + visited.node.name)
            return visited.node.name.hasPrefix(".") ? .skipChildren : .descend
        }
    }

    static func namedDownload(_ engine: TransferEngine) async throws -> TransferHandle {
        var options = DownloadOptions()
        options.checksum = try Checksum(
            parsing: "sha256=9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
        )
        let download = try await engine.download(
            from: HTTPURL(parsing: "https://example.org/big.iso"),
            to: .file(directory: "/srv/images", name: FileName(userGiven: "big.iso")),
            options: options,
            tag: TransferTag("images")
        )
        return download
    }

    static func listing(_ client: TransferClient, _ tag: TransferTag) async throws {
        for try await transfer in client.transfers(.unfinishedOrFailed.of(tag: tag)) {
            print(transfer.id, transfer.state.name, transfer.recordedProgress.received)
        }
    }

    static func stopping(_ run: @escaping @Sendable () async throws -> Void) async throws {
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await run() }
                group.addTask {
                    for await _ in await UnixSignalsSequence(trapping: .sigint, .sigterm) {
                        throw CancellationError()
                    }
                }
                try await group.next()
                group.cancelAll()
            }
        } catch is CancellationError {
            print("Stopped. The next start resumes.")
        }
    }

    static func shortDownload(of url: HTTPURL) async throws {
        try await TransferEngine.withEngine(EngineConfiguration(dataDirectory: "/var/lib/app")) { engine in
            let download = try await engine.download(
                from: url,
                to: .file(directory: "/srv/images", name: nil)
            )
            print(try await download.value().path ?? "")
        }
    }

    static func resuming(with id: TransferID, _ engine: TransferEngine) async throws -> CompletedDownload {
        let download = engine.transfer(id)
        let file = try await download.value()
        return file
    }

    static func client(from url: HTTPURL) async throws {
        let client = try await TransferClient.open(dataDirectory: "/var/lib/app")
        let download = try await client.add(from: url, to: .file(directory: "/srv/images", name: nil))
        // Waits until another process has run the transfer.
        let file = try await download.value()
        await client.close()
        print(file.length)
    }

    static func albums(_ client: TransferClient, _ tag: TransferTag) async throws {
        let album = TransferFilter.all.of(tag: tag)
        try await client.pauseAll(album)
        let totals = try await client.totals(of: album)
        print(totals.completed, "of", totals.count, totals.progress.fraction ?? 0)
        try await client.resumeAll(album)
        let end = try await client.finish(album)
        print(end.failed, "failed")
    }

    static func watching(_ download: TransferHandle) async {
        for await update in download.events {
            for note in update.notes { print(note.message) }
            print(update.transfer.state.name, update.progress.received, update.progress.total ?? 0)
            if update.transfer.state.isFinal { break }
        }
    }

    static func failing(_ download: TransferHandle) async throws {
        do {
            let file = try await download.value()
            print(file.path ?? "")
        } catch let failure as TransferFailure where failure.code == .notFound {
            print("It is not there any more.")
        } catch let failure as TransferFailure {
            print(failure.message)
        } catch let reason as NoResult {
            print(reason)
        }
    }
}

// MARK: Requests

extension ArticleSamples {
    static func sending(_ engine: TransferEngine) async throws {
        var order = try RequestSpecification(
            method: .post,
            url: HTTPURL(parsing: "https://example.org/orders"),
            body: StoredBody(#"{"item": 17}"#.utf8),
            key: IdempotencyKey(value: #""order-17""#)
        )
        order.exchange.headers = [.init(name: "Content-Type", value: "application/json")]
        order.retries = 5
        let request = try await engine.send(order)
        let response = try await request.response()
        print(response.status, String(decoding: response.body, as: UTF8.self))
    }

    /// The orders of an application.
    protocol Orders: Sendable {
        func number(of id: TransferID) async throws -> Int?
    }

    /// What a shop and its accounts say.
    protocol Shop: Sendable {
        func has(_ number: Int) async throws -> Bool
        func freshToken() async throws -> String
    }

    static func answering(_ orders: any Orders, _ shop: any Shop, _ account: any Shop) -> EngineConfiguration
    {
        var configuration = EngineConfiguration(dataDirectory: "/var/lib/app")
        configuration.resolveOutcome = { id, _ in
            guard let number = try await orders.number(of: id) else { return nil }
            return try await shop.has(number) ? .arrived : .notArrived
        }
        configuration.refreshCredentials = { _, _ in .bearer(token: try await account.freshToken()) }
        return configuration
    }

    static func chaining(
        _ photo: RequestSpecification,
        _ engine: TransferEngine
    ) async throws -> TransferHandle {
        let upload = try await engine.send(photo)
        let uuid = try await upload.snapshot.uuid
        var record = try RequestSpecification(
            method: .put,
            url: HTTPURL(parsing: "https://example.org/photos/{id}"),
            body: StoredBody(#"{"photo": "{id}", "title": "Quay"}"#.utf8)
        )
        record.exchange.headers = [
            .init(name: "Content-Type", value: "application/json"),
            .init(name: "If-Match", value: "{version}"),
        ]
        try record.insert("id", from: uuid, at: "/photo/id")
        try record.insert("version", from: uuid, field: "ETag")
        let request = try await engine.send(record)
        return request
    }

    static func uploading(_ engine: TransferEngine) async throws {
        let photo = try await engine.pin("/photos/quay.jpg")
        let upload = try RequestSpecification(
            method: .put,
            url: HTTPURL(parsing: "https://example.org/photos/quay.jpg"),
            body: StoredBody(photo)
        )
        let handle = try await engine.send(upload)
        print(handle.id)
    }

    static func copying(_ engine: TransferEngine) async throws {
        let (parts, input) = AsyncStream.makeStream(of: [UInt8].self)
        input.yield(Array("one part, and another".utf8))
        input.finish()
        let body = try await engine.copyBody(parts)
        let backup = try RequestSpecification(
            method: .put,
            url: HTTPURL(parsing: "https://example.org/backup"),
            body: body
        )
        try await engine.add(NewTransfer(backup))
    }

    static func refused(_ request: TransferHandle) async throws {
        do {
            let response = try await request.response()
            print(response.status)
        } catch let failure as TransferFailure where failure.code == .outcomeUnknown {
            print("It may have arrived. Ask the server.")
        } catch let failure as TransferFailure {
            let answer = try await request.snapshot.response
            print(failure.message, String(decoding: answer?.body ?? [], as: UTF8.self))
        }
    }

    static func untilWhen(_ order: inout RequestSpecification) {
        order.notAfter = .now.advanced(by: .seconds(2 * 3600))
    }

    static func rule(_ configuration: inout EngineConfiguration) {
        configuration.responseRules["order.placed"] = { response in
            response.status == 200 && response.body.isEmpty ? .retry : nil
        }
    }

    struct Receipt: Decodable {
        var number: Int
    }

    /// The receipts of a shop.
    struct Receipts {
        func confirm(_ number: Int, payload: TransferPayload?) async throws {}
    }

    /// An album of photos.
    struct Album {
        func show(_ tag: TransferTag?) async throws {}
        func explain(_ tag: TransferTag?, _ message: String) async throws {}
        func remove(_ tag: TransferTag?) async throws {}
    }

    static func handling(
        _ engine: TransferEngine,
        _ order: RequestSpecification,
        _ receipts: Receipts
    ) async throws {
        engine.handle("order.placed", as: Receipt.self) { receipt, transfer in
            try await receipts.confirm(receipt.number, payload: transfer.payload)
        }
        _ = try await engine.start(NewTransfer(order, type: "order.placed"))
    }

    static func handlingEveryEnd(_ engine: TransferEngine, _ album: Album) {
        engine.handle("photo.upload") { transfer in
            switch transfer.state {
            case .completed: try await album.show(transfer.tag)
            case .failed(let failure): try await album.explain(transfer.tag, failure.message)
            default: try await album.remove(transfer.tag)
            }
        }
    }

    static func sendingOnce(
        _ order: RequestSpecification,
        _ uuid: TransferUUID,
        _ engine: TransferEngine
    ) async throws -> TransferHandle {
        let request = try await engine.start(NewTransfer(order, uuid: uuid))
        return request
    }

    static func queueing(
        _ order: RequestSpecification,
        _ client: TransferClient
    ) async throws -> TransferID {
        let waiting = try await client.add(NewTransfer(order, tag: TransferTag("orders")))
        return waiting.id
    }
}

// MARK: Small results

extension ArticleSamples {
    static func preview(of url: HTTPURL, _ engine: TransferEngine) async throws -> [UInt8] {
        let picture = engine.fetch(from: url, limit: 8 << 20, queue: "pictures", retries: 3)
        let bytes = try await picture.value()
        return bytes
    }

    static func shown(_ picture: ResultHandle) async throws -> [UInt8]? {
        do {
            return try await picture.value()
        } catch let failure as TransferFailure where failure.code == .gaveWay {
            return nil
        }
    }
}

// MARK: Queues

extension ArticleSamples {
    static func queue(_ engine: TransferEngine) async throws {
        var queue = TransferQueue("podcasts")
        queue.slots = 3
        queue.perHost = 1
        queue.rateLimit = try RateLimit(parsing: "2M")
        try await engine.setQueue(queue)
    }

    static func strictQueue(_ engine: TransferEngine) async throws {
        var queue = TransferQueue("events")
        queue.slots = 1
        queue.order = .strict
        queue.onFailure = .fail
        try await engine.setQueue(queue)
    }

    static func order(
        _ engine: TransferEngine,
        _ indexURL: HTTPURL,
        _ bookURL: HTTPURL,
        _ destination: Destination
    ) async throws -> TransferHandle {
        let index = try await engine.add(from: indexURL, to: destination, queue: "books")
        let book = try await engine.add(from: bookURL, to: destination, queue: "books", after: [index.id])
        return book
    }

    static func many(
        _ engine: TransferEngine,
        _ urls: [HTTPURL],
        _ destination: Destination
    ) async throws -> [Addition] {
        let transfers = urls.map { url in
            NewTransfer(DownloadSpecification(url: url, destination: destination), queue: "books")
        }
        let additions = try await engine.add(transfers)
        return additions
    }
}

// MARK: Waiting

extension ArticleSamples {
    static func words(for transfer: Transfer) -> String {
        switch transfer.state {
        case .waiting(.network): "Waiting for the network"
        case .waiting(.retry): transfer.latestFailure?.message ?? "Trying again"
        case .waiting(let condition): "Waiting (\(condition.name))"
        default: transfer.state.name.rawValue
        }
    }

    static func network(_ engine: TransferEngine) async {
        for await _ in engine.networkChanges() {
            print(await engine.isNetworkAvailable() == false ? "offline" : "online")
        }
    }

    /// Whoever signs URLs.
    struct Signer {
        func sign(_ url: HTTPURL) async throws -> HTTPURL { url }
    }

    static func refreshing(by signer: Signer) -> EngineConfiguration {
        var configuration = EngineConfiguration(dataDirectory: "/var/lib/app")
        configuration.refreshURL = { id, expired in try await signer.sign(expired) }
        return configuration
    }

    static func window() throws -> DownloadOptions {
        var options = DownloadOptions()
        options.window = try TimeWindow(parsing: "mon-fri 22:00-06:00, sat-sun 00:00-24:00")
        return options
    }

    static func retrying(
        _ engine: TransferEngine,
        _ url: HTTPURL,
        _ destination: Destination
    ) async throws -> TransferHandle {
        var options = DownloadOptions()
        options.retries = 3
        let download = try await engine.download(from: url, to: destination, options: options)
        return download
    }
}

// MARK: Sealed files

extension ArticleSamples {
    static func making() -> DownloadOptions {
        let identity = SealingIdentity()
        var options = DownloadOptions()
        options.recipients = [identity.recipient]
        return options
    }

    static func sealing(_ engine: TransferEngine, _ url: HTTPURL, _ identity: SealingIdentity) async throws {
        var options = DownloadOptions()
        options.recipients = [identity.recipient]
        let download = try await engine.download(
            from: url,
            to: .file(directory: "/srv/photos", name: FileName(userGiven: "sea.jpg.age")),
            options: options
        )
        _ = try await download.value()
    }

    static func opening(_ identity: SealingIdentity) async throws -> [UInt8] {
        let file = try await SealedFile.open("/srv/photos/sea.jpg.age", with: [identity])
        let beginning = try await file.read(0..<min(1_024, file.length))
        try await file.save(in: "/tmp", as: FileName(userGiven: "sea.jpg"))
        return beginning
    }
}

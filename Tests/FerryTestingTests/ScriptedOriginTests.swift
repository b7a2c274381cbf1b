import Ferry
import FerryTesting
import Foundation
import Testing

/// What the tests of an application can do without a network.
@Suite("Scripted origins", .timeLimit(.minutes(10)))
struct ScriptedOriginTests {
    private let origin = ScriptedOrigin()
    private let url: HTTPURL
    /// Bytes in which every offset differs from its neighbours.
    private let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }

    init() throws { url = try HTTPURL(parsing: "https://example.org/file.bin") }

    /// The ranges that requests asked for.
    private var ranges: [String?] { origin.requests.map { $0[field: "Range"] } }

    /// The bytes of the file that a download of the URL brings.
    private func downloaded() async throws -> [UInt8] {
        try await TransferEngine.withEngine(with: origin) { [url] engine, directory in
            let download = try await engine.download(from: url, to: .file(directory: directory, name: nil))
            let path = try #require(try await download.value().path)
            return [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        }
    }

    @Test func resumesAfterALostConnection() async throws {
        let url = try HTTPURL(parsing: "https://example.org/big.iso")
        let origin = ScriptedOrigin()
        origin.serve(Array(repeating: 7, count: 100_000), at: url)
        origin.cut(url, after: 40_000)
        try await TransferEngine.withEngine(with: origin) { engine, directory in
            let download = try await engine.download(from: url, to: .file(directory: directory, name: nil))
            let file = try await download.value()
            #expect(file.length == 100_000)
        }
        #expect(origin.requests.map { $0[field: "Range"] } == [nil, "bytes=40000-"])
    }

    @Test("a file is served as it is, for the URL as it is sent")
    func serves() async throws {
        origin.serve(bytes, at: try HTTPURL(parsing: "https://user:secret@example.org/file.bin#part"))
        #expect(try await downloaded() == bytes)
        #expect(origin.requests.map(\.method) == ["GET"] && origin.requests.map(\.url) == [url])
        #expect(ranges == [nil])
    }

    @Test("the next N requests fail, and the one after them gets the file")
    func failsSomeTimes() async throws {
        origin.serve(bytes, at: url)
        origin.fail(url, times: 3)
        #expect(try await downloaded() == bytes)
        #expect(origin.requests.count == 4)
    }

    @Test("a failure that no retry mends ends the transfer, and so does a URL without a file")
    func failsForGood() async throws {
        let failure = await #expect(throws: TransferFailure.self) { try await downloaded() }
        #expect(failure?.code == .notFound)
        origin.serve(bytes, at: url)
        origin.fail(url, status: 403)
        let refusal = await #expect(throws: TransferFailure.self) { try await downloaded() }
        #expect(refusal?.code == .forbidden)
        #expect(origin.requests.count == 2)
    }

    @Test("a file that changes between two requests is fetched as a whole of its new version")
    func changes() async throws {
        origin.serve(bytes, at: url)
        origin.cut(url, after: 40_000)
        origin.change(url, to: bytes.reversed())
        #expect(try await downloaded() == bytes.reversed())
        #expect(ranges.prefix(2) == [nil, "bytes=40000-"])
    }

    @Test("an engine that is opened later resumes over the same origin")
    func survivesARestart() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "ferry-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer {
            do {
                try FileManager.default.removeItem(atPath: folder)
            } catch {
                Issue.record(error)
            }
        }
        origin.serve(bytes, at: url)
        origin.cut(url, after: 40_000)
        await #expect(throws: TransferFailure.self) { try await run(in: folder) }
        #expect(ranges == [nil])
        let file = try await run(in: folder)
        #expect(ranges == [nil, "bytes=40000-"] && file.length == 100_000)
    }

    /// Opens an engine, downloads the URL without a retry, and stops the engine.
    private func run(in folder: String) async throws -> CompletedDownload {
        let engine = try await TransferEngine.open(
            EngineConfiguration(dataDirectory: "\(folder)/store"),
            with: origin
        )
        var options = DownloadOptions()
        options.retries = 0
        let download = try await engine.download(
            from: url,
            to: .file(directory: folder, name: nil),
            options: options
        )
        async let end: Void = engine.run()
        let result: Result<CompletedDownload, any Error>
        do {
            result = .success(try await download.value())
        } catch {
            result = .failure(error)
        }
        engine.stop()
        try await end
        await engine.close()
        return try result.get()
    }

    @Test("the header fields of a request are known by any case of their names, and so is its body")
    func knowsRequests() async throws {
        let orders = try HTTPURL(parsing: "https://example.org/orders")
        origin.serve("17".utf8, at: orders)
        try await TransferEngine.withEngine(with: origin) { engine, _ in
            var order = try RequestSpecification(
                method: .post,
                url: orders,
                body: StoredBody(#"{"item": 17}"#.utf8)
            )
            order.exchange.headers = [HeaderField(name: "Content-Type", value: "application/json")]
            let response = try await engine.send(order).response()
            #expect(response.body == Array("17".utf8))
        }
        let request = try #require(origin.requests.first)
        #expect(request.method == "POST" && request[field: "content-type"] == "application/json")
        #expect(request.body == Array(#"{"item": 17}"#.utf8) && request[field: "Cookie"] == nil)
    }
}

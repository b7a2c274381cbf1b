import Ferry
import FerryCore
import FerryTesting
import HTTPTypes
import Testing

/// The servers give two downloads the same name, which no one could know before.
@Suite("Downloads that get one name by chance", .timeLimit(.minutes(10)))
struct SharedNameTests {
    private let bench: Bench
    private let urls: [HTTPURL]

    init() throws {
        bench = try Bench()
        urls = try ["a", "b"].map { try HTTPURL(parsing: "http://origin.example/\($0)") }
        for (number, url) in urls.enumerated() {
            var resource = ScriptedResource(Self.bytes(number), entityTag: "\"\(number)\"")
            resource.headers[.contentDisposition] = "attachment; filename=file.bin"
            bench.transport.set(resource, at: url)
        }
    }

    private static func bytes(_ number: Int) -> [UInt8] { Array(repeating: UInt8(number + 1), count: 10_000) }

    private func add(
        _ number: Int,
        to engine: TransferEngine,
        _ policy: ExistingFilePolicy
    ) async throws -> TransferHandle {
        var options = DownloadOptions()
        (options.existingFile, options.connections) = (policy, 1)
        let destination = Destination.file(directory: "/d", name: nil)
        return try await engine.download(from: urls[number], to: destination, options: options)
    }

    private func expectRefusal(_ transfer: Transfer?, naming: String = "ransfer") {
        guard case .failed(let failure)? = transfer?.state else {
            Issue.record("\(String(describing: transfer?.state))")
            return
        }
        #expect(failure.code == .destinationExists && failure.message.contains(naming), "\(failure)")
        #expect(failure.remedies == [.autoRename, .chooseOtherName])
    }

    private func expectFirstOnly() throws {
        #expect(try bench.published == Self.bytes(0))
        #expect(bench.files.names(in: "/d") == ["file.bin"])
    }

    @Test(arguments: [ExistingFilePolicy.fail, .overwrite])
    func theSecondIsRefusedBeforeItsBytesAreTaken(policy: ExistingFilePolicy) async throws {
        bench.transport.order(.stallAfter(1_000), at: urls[0])
        let engine = bench.engine(.everything(untilDrained: false))
        try await bench.running(engine) {
            let first = try await add(0, to: engine, policy)
            try await bench.transport.nextStall()
            let second = try await add(1, to: engine, policy)
            expectRefusal(await second.reaches(.failed), naming: "Transfer \(first.id)")
            bench.transport.release()
            #expect(await first.reaches(.completed) != nil)
        }
        #expect(bench.transport.receptionCount == 1)
        try expectFirstOnly()
    }

    @Test func theSecondOfOneCommandDoesNotReplaceTheFirst() async throws {
        let engine = bench.engine(slots: 1)
        let first = try await add(0, to: engine, .overwrite)
        let second = try await add(1, to: engine, .overwrite)
        bench.clock.advance(by: .seconds(1))
        try await engine.run()
        #expect(try await first.snapshot.state == .completed)
        expectRefusal(try await second.snapshot, naming: "ransfer \(first.id)")
        #expect(bench.transport.receptionCount == 1)
        try expectFirstOnly()
    }

    @Test func anotherProcessDoesNotReplaceItEither() async throws {
        bench.transport.order(.stallAfter(1_000), at: urls[0])
        let engine = bench.engine(.everything(untilDrained: false))
        try await bench.running(engine) {
            let first = try await add(0, to: engine, .overwrite)
            try await bench.transport.nextStall()
            let other = bench.engine()
            let second = try await add(1, to: other, .overwrite)
            try await other.run()
            expectRefusal(try await second.snapshot)
            bench.transport.release()
            #expect(await first.reaches(.completed) != nil)
        }
        try expectFirstOnly()
    }

    /// The user knows the file by then, also within the same millisecond.
    @Test func aLaterCommandReplacesTheFile() async throws {
        for number in [0, 0, 1] {
            let engine = bench.engine()
            let handle = try await add(number, to: engine, .overwrite)
            try await engine.run()
            #expect(try await handle.snapshot.state == .completed)
            #expect(try bench.published == Self.bytes(number))
        }
    }
}

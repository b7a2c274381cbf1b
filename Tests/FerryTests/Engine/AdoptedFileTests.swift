import Ferry
import FerryCore
import FerryTesting
import Testing

/// The user's bytes come back, whatever ends the transfer that took them over.
@Suite("Files of other tools that a transfer has taken over", .timeLimit(.minutes(10)))
struct AdoptedFileTests {
    private let bench: Bench

    init() throws { bench = try Bench() }

    /// A transfer that takes over a file with these bytes.
    private func adopting(
        _ bytes: [UInt8],
        by access: some TransferAccess,
        _ policy: ChangePolicy = .fail
    ) async throws -> NewTransfer {
        bench.files.put(.file, bytes, as: try FileName(userGiven: "file.bin"), in: "/d")
        var options = DownloadOptions()
        options.onChange = policy
        let specification = DownloadSpecification(
            url: bench.url,
            destination: try bench.destination,
            options: options
        )
        return try await access.adopting(NewTransfer(specification))
    }

    /// What is on disk after the file was given back.
    private func isBack(_ bytes: [UInt8]) throws -> Bool {
        try bench.published == bytes && bench.files.names(in: "/d") == ["file.bin"]
    }

    @Test func aCancelledOneLosesWhatWasFetchedOnly() async throws {
        let left = Array(bench.bytes.prefix(4_000))
        let engine = bench.engine()
        // All that the file has is compared, and 1000 bytes follow.
        bench.transport.order(.stallAfter(5_000), at: bench.url)
        let handle = try await engine.start(adopting(left, by: engine))
        async let work: Void = engine.run()
        try await bench.transport.nextStall()
        #expect(bench.files.names(in: "/d") == ["file.bin.part"])
        try await handle.cancel()
        try await work
        #expect(try isBack(left))
    }

    @Test(arguments: [ChangePolicy.fail, .automatic])
    func oneThatIsNotTheServersComesBackAtOnceAndStaysWhenItsTransferIsRemoved(
        policy: ChangePolicy
    ) async throws {
        let thesis = [UInt8](repeating: 7, count: 400)
        let engine = bench.engine()
        let handle = try await engine.start(adopting(thesis, by: engine, policy))
        try await engine.run()
        guard case .failed(let failure)? = try await bench.store.transfer(handle.id)?.state else {
            Issue.record("it does not fail")
            return
        }
        #expect(failure.message.hasPrefix("file.bin is not the beginning of"), "\(failure.message)")
        #expect(try isBack(thesis))
        try await engine.remove([handle.id])
        #expect(try isBack(thesis))
    }

    /// No attempt has touched it.
    @Test func oneOfAWaitingTransferStays() async throws {
        let left = Array(bench.bytes.prefix(4_000))
        let client = bench.client()
        let handle = try await client.add(adopting(left, by: client))
        _ = try await client.cancel(handle.id)
        #expect(try isBack(left))
    }

    @Test func oneThatIsGivenUpIsReplaced() async throws {
        let engine = bench.engine()
        let thesis = [UInt8](repeating: 7, count: 400)
        _ = try await engine.start(adopting(thesis, by: engine, .restart))
        try await engine.run()
        #expect(try isBack(bench.bytes))
    }
}

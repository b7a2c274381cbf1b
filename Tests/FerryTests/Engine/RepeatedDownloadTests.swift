import Ferry
import FerryCore
import FerryTesting
import HTTPTypes
import Testing

@Suite("Downloads that are repeated with a name, or without", .timeLimit(.minutes(10)))
struct RepeatedDownloadTests {
    private let bench: Bench

    init() throws { bench = try Bench() }

    /// A download to `file.bin`, with that name or without it: it is also the name of the URL.
    private func new(
        named isNamed: Bool,
        _ change: (inout DownloadOptions) -> Void = { _ in }
    ) throws -> NewTransfer {
        var options = DownloadOptions()
        change(&options)
        let destination = try isNamed ? bench.destination : .file(directory: "/d", name: nil)
        return NewTransfer(DownloadSpecification(url: bench.url, destination: destination, options: options))
    }

    /// Adds and runs a download as the tool does.
    private func run(_ new: NewTransfer) async throws -> Addition {
        let engine = bench.engine()
        let addition = try await engine.download(try await engine.asSpelledBefore([new]))[0]
        try await engine.run()
        return addition
    }

    /// Pauses a download that has received 4000 bytes.
    private func paused(named isNamed: Bool) async throws -> TransferID {
        bench.transport.order(.stallAfter(4_000), at: bench.url)
        let engine = bench.engine()
        let id = try await engine.download([try new(named: isNamed)])[0].transfer.id
        async let work: Void = engine.run()
        try await bench.transport.nextStall()
        _ = try await engine.pause(id)
        try await work
        return id
    }

    @Test(arguments: [true, false])
    func theOtherSpellingResumes(isNamed: Bool) async throws {
        let id = try await paused(named: isNamed)
        let again = try await run(new(named: !isNamed))
        #expect(again.transfer.id == id)
        #expect(bench.transport.requests.map { $0.headers[.range] } == [nil, "bytes=4000-"])
        #expect(try bench.published == bench.bytes && bench.files.names(in: "/d") == ["file.bin"])
    }

    @Test(arguments: [true, false])
    func aCompletedFileIsNotFetchedAgain(isNamed: Bool) async throws {
        let first = try await run(new(named: isNamed))
        let again = try await run(new(named: !isNamed))
        #expect(again.transfer.id == first.transfer.id && bench.transport.requests.count == 1)
    }

    /// Otherwise the server could give the file another name than the user does.
    @Test func aNewDownloadKeepsItsName() async throws {
        _ = try await run(new(named: false))
        bench.files.remove(try FileName(userGiven: "file.bin"), in: "/d")
        let new = try new(named: true)
        #expect(try await bench.client().asSpelledBefore([new]) == [new])
        let over = try self.new(named: true) { $0.existingFile = .overwrite }
        #expect(try await bench.client().asSpelledBefore([over]) == [over])
    }

    @Test func anUpdateKnowsTheFileThatTheOtherSpellingSaved() async throws {
        _ = try await run(new(named: false))
        _ = try await run(new(named: true) { $0.updates = true })
        #expect(bench.transport.requests.last?.headers[.ifNoneMatch] == "\"v1\"")
        #expect(try bench.published == bench.bytes)
    }

    @Test func otherHeaderFieldsAreAnotherDownload() async throws {
        _ = try await paused(named: false)
        let new = try new(named: true) { $0.headers = [.init(name: "Accept-Language", value: "de")] }
        #expect(try await bench.client().asSpelledBefore([new]) == [new])
    }

    /// Both are asked for in one command, so they are meant to be two.
    @Test func bothSpellingsInOneCommandStayTwo() async throws {
        _ = try await paused(named: false)
        let both = [try new(named: true), try new(named: false)]
        #expect(try await bench.client().asSpelledBefore(both) == both)
    }
}

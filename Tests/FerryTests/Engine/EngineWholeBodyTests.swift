import Ferry
import FerryCore
import FerryTesting
import Testing

/// Short bodies that have arrived with their heads. Their connections have nothing left to do.
@Suite("Bodies that arrive with their heads", .timeLimit(.minutes(10)))
struct EngineWholeBodyTests {
    private let bench: Bench

    init() throws { bench = try Bench(bringsWholeBodies: true) }

    /// Downloads to this name; `nil` for one that the first answer gives.
    private func download(
        as name: FileName? = nil,
        _ change: (inout DownloadOptions) -> Void = { _ in }
    ) async throws -> TransferState {
        var options = DownloadOptions()
        options.retries = 0
        change(&options)
        return try await bench.fetch(options, to: .file(directory: "/d", name: name)).state
    }

    private func code(_ state: TransferState) -> TransferFailure.Code? {
        if case .failed(let failure) = state { failure.code } else { nil }
    }

    @Test(arguments: [nil, "file.bin"] as [String?])
    func areWrittenAndSyncedOnce(name: String?) async throws {
        let name = try name.map { try FileName(userGiven: $0) }
        #expect(try await download(as: name) == .completed)
        #expect(try bench.published == bench.bytes)
        #expect(bench.transport.receptionCount == 0)
        #expect(bench.files.calls(of: .write) == 1)
        #expect(bench.files.calls(of: .synchronize) == 1)
    }

    @Test func areWrittenIntoAFileThatReplacesAnother() async throws {
        bench.files.put(.file, [1], as: try FileName(userGiven: "file.bin"), in: "/d")
        let state = try await download { $0.existingFile = .overwrite }
        #expect(state == .completed)
        #expect(try bench.published == bench.bytes)
        #expect(bench.transport.receptionCount == 0)
    }

    @Test func areDroppedWhereTheNameIsTaken() async throws {
        bench.files.put(.file, [1], as: try FileName(userGiven: "file.bin"), in: "/d")
        let state = try await download { $0.existingFile = .fail }
        #expect(code(state) == .destinationExists)
        #expect(try bench.published == [1])
        #expect(bench.files.names(in: "/d") == ["file.bin"])
    }

    @Test func areWrittenUnderTheNextFreeName() async throws {
        let name = try FileName(userGiven: "file.bin")
        bench.files.put(.file, [1], as: name, in: "/d")
        let state = try await download { $0.existingFile = .autoRename }
        #expect(state == .completed)
        #expect(try bench.published == [1])
        #expect(bench.files.contents(of: name.numbered(1), in: "/d") == bench.bytes)
        #expect(bench.files.names(in: "/d").count == 2)
    }

    @Test func areVerified() async throws {
        let wrong = Checksum(algorithm: .sha256, digest: [UInt8](repeating: 0, count: 32))
        let state = try await download { $0.checksum = wrong }
        #expect(code(state) == .checksumMismatch)
        #expect(bench.files.names(in: "/d") == [])
        #expect(bench.transport.receptionCount == 0)
    }

    /// A failed sync may have dropped bytes. Their digest would blame the server for that.
    @Test(arguments: [nil, "file.bin"] as [String?], [.half, .whole] as [FileFault.Effect])
    func areNotDigestedAfterAFailedSync(name: String?, effect: FileFault.Effect) async throws {
        bench.files.inject(FileFault(.synchronize, effect: effect))
        let name = try name.map { try FileName(userGiven: $0) }
        let digest = Checksum(algorithm: .sha256, digest: [UInt8](repeating: 0, count: 32))
        let state = try await download(as: name) { $0.checksum = digest }
        #expect(code(state) == .storageFault)
        #expect(bench.files.calls(of: .digest) == 0)
        #expect(bench.files.calls(of: .synchronize) == 1)
        #expect(bench.files.names(in: "/d") == [])
    }

    @Test(arguments: [nil, "file.bin"] as [String?])
    func areFetchedAgainAfterAFailedWriteOrSync(name: String?) async throws {
        bench.files.inject(FileFault(.write, effect: .half))
        bench.files.inject(FileFault(.synchronize, effect: .half))
        let name = try name.map { try FileName(userGiven: $0) }
        for _ in 0..<2 {
            let state = try await download(as: name)
            #expect(code(state) == .storageFault)
            #expect(bench.files.names(in: "/d") == [])
        }
        #expect(try await download(as: name) == .completed)
        #expect(try bench.published == bench.bytes)
    }

    @Test func areReceivedWhereALengthIsAllowedAtMost() async throws {
        let state = try await download { $0.maximumLength = Int64(bench.bytes.count) }
        #expect(state == .completed)
        #expect(try bench.published == bench.bytes)
        #expect(bench.transport.receptionCount == 1)
    }
}

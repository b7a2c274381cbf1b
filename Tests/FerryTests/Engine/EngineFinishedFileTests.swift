import Ferry
import FerryCore
import FerryTesting
import Testing

/// An existing file is checked before it counts as the requested one.
@Suite("Files that already exist", .timeLimit(.minutes(10)))
struct EngineFinishedFileTests {
    private static let name = "file.bin"

    private static func digest(_ bytes: [UInt8]) -> Checksum {
        ReferenceDigest.digest(.sha256, of: bytes)
    }

    /// The options of a second command, and whether the file of the first command satisfies them.
    enum Asked: CaseIterable {
        case nothing, rightLength, wrongLength, rightDigest, wrongDigest, rightPieces, wrongPieces,
            fewerPieces

        var isRight: Bool {
            switch self {
            case .nothing, .rightLength, .rightDigest, .rightPieces: true
            case .wrongLength, .wrongDigest, .wrongPieces, .fewerPieces: false
            }
        }

        func options(_ bytes: [UInt8]) -> DownloadOptions {
            var options = DownloadOptions()
            let half = bytes.count / 2
            let (first, second) = (digest(Array(bytes[..<half])), digest(Array(bytes[half...])))
            switch self {
            case .nothing: break
            case .rightLength: options.length = Int64(bytes.count)
            case .wrongLength: options.length = Int64(bytes.count) + 1
            case .rightDigest: options.checksum = digest(bytes)
            case .wrongDigest: options.checksum = digest([0])
            case .rightPieces:
                options.pieces = PieceDigests(length: Int64(half), checksums: [first, second])
            case .wrongPieces:
                options.pieces = PieceDigests(length: Int64(half), checksums: [second, first])
            case .fewerPieces: options.pieces = PieceDigests(length: Int64(half), checksums: [first])
            }
            return options
        }
    }

    private func fetch(
        _ bench: Bench,
        _ options: DownloadOptions = DownloadOptions()
    ) async throws -> Addition {
        let engine = bench.engine()
        let specification = DownloadSpecification(
            url: bench.url,
            destination: try bench.destination,
            options: options
        )
        let addition = try await engine.download([NewTransfer(specification)])[0]
        try await engine.run()
        return addition
    }

    private func state(_ addition: Addition, in bench: Bench) async throws -> TransferState? {
        try await bench.store.transfer(addition.transfer.id)?.state
    }

    @Test(arguments: Asked.allCases)
    func whatIsNewlyAskedForIsHeldAgainstTheFileOfACompletedTransfer(asked: Asked) async throws {
        let bench = try Bench()
        let first = try await fetch(bench)
        let second = try await fetch(bench, asked.options(bench.bytes))
        #expect((second.transfer.id == first.transfer.id) == asked.isRight)
        if !asked.isRight {
            let state = try await state(second, in: bench)
            guard case .failed(let failure)? = state else {
                Issue.record("\(String(describing: state))")
                return
            }
            // A length alone does not show that the file is another one.
            #expect(failure.code == (asked == .wrongLength ? .destinationExists : .checksumMismatch))
        }
        #expect(try bench.published == bench.bytes, "nothing is lost")
    }

    @Test func anEarlierDownloadIsFoundByItsURLItsPathAndItsDigest() async throws {
        let bench = try Bench()
        var options = DownloadOptions()
        options.checksum = Self.digest(bench.bytes)
        let engine = bench.engine()
        #expect(try await engine.find(url: bench.url, to: bench.destination) == nil)
        let first = try await fetch(bench, options).transfer.id
        let completed = try await engine.snapshot(of: first)
        #expect(try await engine.find(url: bench.url, to: bench.destination) == completed)
        #expect(try await engine.find(digest: Self.digest(bench.bytes)) == completed)
        #expect(try await engine.find(digest: Self.digest([0])) == nil)
        let paths = ["/d/\(Self.name)", "/d/other.bin"]
        #expect(try await engine.completed(at: paths) == [completed, nil])
        options.existingFile = .overwrite
        let again = try await engine.add(from: bench.url, to: bench.destination, options: options)
        let latest = try await engine.find(url: bench.url, to: bench.destination)
        #expect(latest?.id == again.id && again.id > first)
        let elsewhere = Destination.file(directory: "/elsewhere", name: nil)
        #expect(try await engine.find(url: bench.url, to: elsewhere) == nil)
    }

    @Test func aFileThatWasChangedInPlaceIsNotCompleteAlready() async throws {
        let bench = try Bench()
        let first = try await fetch(bench)
        bench.files.rewrite(try FileName(userGiven: Self.name), in: "/d", with: bench.bytes.reversed())
        let second = try await fetch(bench)
        #expect(second.transfer.id != first.transfer.id)
        #expect(try bench.published == bench.bytes.reversed(), "it is left as it is")
    }

    /// As after `touch`: only a digest shows that the bytes are unchanged.
    @Test(arguments: [false, true])
    func aFileThatWasTouchedIsCompleteOnlyByItsDigest(isKnown: Bool) async throws {
        let bench = try Bench()
        var options = DownloadOptions()
        if isKnown { options.checksum = Self.digest(bench.bytes) }
        let first = try await fetch(bench, options)
        bench.files.rewrite(try FileName(userGiven: Self.name), in: "/d", with: bench.bytes)
        let second = try await fetch(bench)
        #expect((second.transfer.id == first.transfer.id) == isKnown)
    }

    /// Without ``ExistingFilePolicy/noClobber``, only a digest shows that the file is the wanted one.
    @Test(arguments: Asked.allCases, [ExistingFilePolicy.noClobber, .fail])
    func aFileThatIsLeftAloneIsHeldAgainstWhatIsAskedForBeforeAnythingFollows(
        asked: Asked,
        policy: ExistingFilePolicy
    ) async throws {
        let bench = try Bench()
        bench.files.put(.file, bench.bytes, as: try FileName(userGiven: Self.name), in: "/d")
        var options = asked.options(bench.bytes)
        options.existingFile = policy
        let mayAccept = policy == .noClobber || options.checksum != nil || options.pieces != nil
        let engine = bench.engine(.everything(untilDrained: true))
        let handle = try await engine.download(from: bench.url, to: bench.destination, options: options)
        let other = Destination.file(directory: "/d", name: try FileName(userGiven: "other.bin"))
        let next = try await engine.download(from: bench.url, to: other, after: [handle.id])
        try await engine.run()
        let (state, following) = (try await handle.snapshot.state, try await next.snapshot.state)
        if asked.isRight, mayAccept {
            #expect(state == .completed && following == .completed)
        } else if case .failed(let failure) = state, case .failed(let consequence) = following {
            #expect(failure.code == (mayAccept ? .checksumMismatch : .destinationExists))
            #expect(consequence.code == .dependencyFailed)
            #expect(failure.remedies.contains(.overwrite))
        } else {
            Issue.record("\(state), \(following)")
        }
        #expect(try bench.published == bench.bytes, "it is left as it is")
    }

    @Test func whatIsDoneIsNotSaidOfAFileThatIsNotThereAnyMore() async throws {
        let bench = try Bench()
        let transfer = try await fetch(bench).transfer
        let engine = bench.engine()
        let completed = try await engine.snapshot(of: transfer.id)
        try await engine.requireFile(of: completed)
        let name = try FileName(userGiven: Self.name)
        bench.files.rewrite(name, in: "/d", with: Array(bench.bytes.reversed()))
        await #expect(throws: StoreError.self) { try await engine.requireFile(of: completed) }
        bench.files.remove(name, in: "/d")
        await #expect(throws: StoreError.self) { try await engine.requireFile(of: completed) }
    }
}

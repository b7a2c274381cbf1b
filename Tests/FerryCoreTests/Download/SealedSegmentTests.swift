import FerryTesting
import Testing

@testable import FerryCore

/// Downloads whose bytes are on the disk only in whole sealed chunks.
@Suite("Segments of sealed downloads")
struct SealedSegmentTests {
    private static let chunk = PartSeal.chunkLength

    @Test("a segment claims whole chunks, and the last chunk only when the file is complete")
    func wholeChunks() throws {
        let chunk = Self.chunk
        let map = try #require(
            SegmentMap(segments: [
                Segment(range: 0..<(2 * chunk), written: 2 * chunk, durable: chunk + 5),
                Segment(range: (2 * chunk)..<(4 * chunk), written: 3 * chunk - 1, durable: 2 * chunk),
                Segment(range: (4 * chunk)..<(6 * chunk), written: 6 * chunk, durable: 6 * chunk),
            ])
        )
        let sealed = map.sealed().segments
        #expect(sealed.map(\.written) == [2 * chunk, 2 * chunk, 5 * chunk])
        #expect(sealed.map(\.durable) == [chunk, 2 * chunk, 5 * chunk])
        #expect(sealed.map(\.range) == map.segments.map(\.range))
    }

    @Test(
        "of an unknown length, any byte may be the last",
        arguments: [0, 1, 65_535, 65_536, 65_537, 200_000]
    )
    func unknownLength(written: Int64) {
        var map = SegmentMap(length: nil)
        map.advance(0, writtenTo: written)
        #expect(map.sealed().received == max(0, written - 1) / Self.chunk * Self.chunk)
    }

    @Test("lengths of files and of what they have in clear belong together")
    func lengths() {
        let seal = PartSeal(preamble: [UInt8](repeating: 7, count: 200), key: [])
        for length in [0, 1, 65_535, 65_536, 65_537, 131_072, 131_073, 1 << 40] as [Int64] {
            #expect(seal.length(ofFile: seal.fileLength(of: length)) == length)
        }
        // An empty payload has a chunk, and the file may have been cut anywhere.
        #expect(seal.fileLength(of: 0) == 216)
        for length in [0, 199, 200, 201, 215] as [Int64] { #expect(seal.length(ofFile: length) == 0) }
        #expect(seal.length(ofFile: 200 + 65_552 + 16) == 65_536)
    }

    @Test("the length of the claimed file counts in clear, and that of any other file as it is")
    func survey() {
        let identity = FileIdentity(device: 1, inode: 2)
        var claim = PartFileClaim(name: .fallback, identity: identity, boot: DownloadScenario.boot)
        let own = FileSurvey.Entry(identity: identity, length: 216 + 5, kind: .file)
        let other = FileSurvey.Entry(identity: FileIdentity(device: 1, inode: 3), length: 221, kind: .file)
        let found = FileSurvey(final: other, part: own)
        #expect(found.inClear(for: claim) == found)
        claim.seal = PartSeal(preamble: [UInt8](repeating: 7, count: 200), key: [1])
        #expect(found.inClear(for: claim).part?.length == 5)
        #expect(found.inClear(for: claim).final == other)
    }

    @Test("pieces begin at chunks, and no record claims more than chunks")
    func alignment() throws {
        var download = try DividedDownload { $0.recipients = ["age1"] }
        download.grows(to: 4)
        for _ in 1...10 {
            download.passes(.milliseconds(333))
            download.provesAll()
            download.hand(.advanced(download.bodies.mapValues(\.lowerBound)))
        }
        #expect(download.machine.progress.segments.segments.count > 2)
        for case .record(let progress, _) in download.log {
            for segment in progress.segments.segments {
                let bounds = [segment.range.lowerBound, segment.written, segment.durable]
                #expect(bounds.allSatisfy { $0 % Self.chunk == 0 }, "\(segment)")
            }
        }
        let expected = download.log.contains { $0 == .expect(DividedDownload.length) }
        #expect(expected)
    }

    @Test("the key of the payload is erased with the end")
    func keyIsErased() throws {
        var download = try DividedDownload(length: 100) { $0.recipients = ["age1"] }
        download.machine.download.progress.part?.seal = PartSeal(
            preamble: [UInt8](repeating: 7, count: 200),
            key: [1, 2, 3]
        )
        download.passes(.seconds(1))
        download.hand(.synchronized)
        download.hand(.published(modified: 5))
        #expect(download.outcome == .completed)
        var ended: DownloadProgress?
        for case .finish(_, let progress) in download.log { ended = progress }
        let seal = try #require(ended?.part?.seal)
        #expect(seal.key == nil && seal.preamble == nil && seal.preambleLength == 200)
        #expect(ended?.fileLength == 316)
    }

    @Test("a file with a wrong piece starts over once, in another file with another key", arguments: [1, 2])
    func wrongPiece(times: Int) throws {
        var download = try inPieces()
        for time in 1...times {
            download.passes(.seconds(1))
            download.hand(.piecesDigested(wrong: [1]))
            guard time == 1 else { continue }
            let replacement = try #require(
                download.log.firstIndex { if case .replacePart = $0 { true } else { false } }
            )
            var claimed: Int64?
            for case .record(let progress, _) in download.log[..<replacement] {
                claimed = progress.segments.received
            }
            #expect(claimed == 0, "the row gives up its claims first")
            let number = try #require(download.unanswered.first)
            #expect(download.asked[DividedDownload.id(number)]?.from == 0, "no piece is fetched alone")
            download.answers(number, 200)
        }
        guard times == 1 else {
            guard case .failed(let problem) = download.outcome else {
                Issue.record("\(String(describing: download.outcome))")
                return
            }
            #expect(problem.failure.code == .checksumMismatch)
            return
        }
        download.passes(.seconds(1))
        download.hand(.piecesDigested(wrong: []))
        download.hand(.synchronized)
        download.hand(.published(modified: 5))
        #expect(download.outcome == .completed)
    }

    @Test("a file whose sealed bytes were damaged starts over once, in another file with another key")
    func damagedBytes() throws {
        var download = try inPieces()
        download.passes(.seconds(1))
        download.hand(.storageFailed(.digest, .sealedBytesDamaged))
        #expect(download.machine.progress.segments.received == 0)
        #expect(download.machine.progress.part?.seal?.key == [2])
        let number = try #require(download.unanswered.first)
        #expect(download.asked[DividedDownload.id(number)]?.from == 0)
        download.answers(number, 200)
        download.passes(.seconds(1))
        download.hand(.storageFailed(.digest, .sealedBytesDamaged))
        guard case .failed(let problem) = download.outcome else {
            Issue.record("\(String(describing: download.outcome))")
            return
        }
        #expect(problem.failure.code == .storageFault && problem.disposition == .permanent)
        #expect(download.machine.progress.segments.received == 0, "a retry starts over too")
    }

    @Test("a file without a digest that keeps earlier bytes is opened once before it gets its name")
    func opensWhatWasKept() throws {
        var first = try withoutDigest()
        first.passes(.milliseconds(10))
        first.hand(.advanced(first.bodies.mapValues(\.lowerBound)))
        let kept = first.machine.progress
        #expect(kept.segments.received >= Self.chunk)
        first.passes(.seconds(1))
        #expect(digests(in: first) == 0, "no byte is of an earlier attempt")
        for isDamaged in [false, true] {
            var download = try withoutDigest(from: kept)
            download.passes(.seconds(1))
            #expect(digests(in: download) == 1)
            if isDamaged {
                download.hand(.storageFailed(.digest, .sealedBytesDamaged))
                #expect(download.machine.progress.segments.received == 0)
                let number = try #require(download.unanswered.first)
                download.answers(number, 200)
                download.passes(.seconds(1))
            } else {
                let found = Checksum(algorithm: .sha256, digest: [UInt8](repeating: 3, count: 32))
                download.hand(.digested(found))
            }
            #expect((download.machine.progress.part?.seal?.key == [1]) == !isDamaged)
            download.hand(.synchronized)
            download.hand(.published(modified: 5))
            #expect(download.outcome == .completed)
            #expect(digests(in: download) == 1)
        }
    }

    /// A small sealed download without any digest.
    private func withoutDigest(
        from progress: DownloadProgress = DownloadProgress()
    ) throws -> DividedDownload {
        try DividedDownload(length: 4 * Self.chunk, from: progress) { $0.recipients = ["age1"] }
    }

    private func digests(in download: DividedDownload) -> Int {
        download.log.count { if case .digest = $0 { true } else { false } }
    }

    @Test("sealed bytes that are damaged are judged after the sync that is under way")
    func damagedBytesDuringASync() throws {
        var download = try inPieces()
        download.passes(.seconds(1))
        _ = download.machine.part.synchronize(download.machine.progress.segments)
        let count = download.log.count
        download.hand(.storageFailed(.digest, .sealedBytesDamaged))
        #expect(download.log.count == count)
        download.hand(.synchronized)
        #expect(download.machine.progress.part?.seal?.key == [2])
    }

    @Test("a damaged last chunk, sealed before a kill, lets the file start over, unless the attempt ends")
    func damagedEnd() throws {
        var download = try inPieces()
        download.passes(.seconds(1))
        for ending in [nil, .asked(.release)] as [DownloadStage.Ending?] {
            var machine = download.machine
            machine.stage = .busy(.preparing(.trimming), then: ending)
            let actions = machine.handle(.storageFailed(.prepare, .sealedBytesDamaged), at: download.now)
            let startsOver = actions.contains { if case .replacePart = $0 { true } else { false } }
            #expect(startsOver == (ending == nil), "\(actions)")
        }
    }

    @Test("damaged bytes that are read for a comparison let the file start over when no connection writes")
    func damagedComparison() throws {
        var download = try inPieces()
        #expect(download.writing == [1])
        download.hand(.storageFailed(.prepare, .sealedBytesDamaged))
        let cut = try #require(download.log.firstIndex(of: .disconnect(DividedDownload.id(1))))
        let replacement = try #require(
            download.log.firstIndex { if case .replacePart = $0 { true } else { false } }
        )
        #expect(replacement > cut)
        #expect(download.machine.progress.part?.seal?.key == [2])
    }

    /// A download of one wrong piece and two right ones.
    private func inPieces(
        from progress: DownloadProgress = DownloadProgress(),
        hasPart: Bool = true
    ) throws -> DividedDownload {
        let piece = Checksum(algorithm: .sha1, digest: [UInt8](repeating: 1, count: 20))
        let pieces = try #require(PieceDigests(length: 100, checksums: [piece, piece, piece]))
        return try DividedDownload(length: 300, from: progress, hasPart: hasPart) {
            $0.pieces = pieces
            $0.recipients = ["age1"]
        }
    }

    /// A power loss may take chunks that the old key has sealed, and they cannot be compared then.
    @Test("whenever the power fails while a file starts over, no byte is sealed under the old key any more")
    func powerLossWhileStartingOver() throws {
        var download = try inPieces()
        #expect(download.machine.progress.part?.seal?.key == [1])
        download.passes(.seconds(1))
        let begin = download.log.count
        download.hand(.piecesDigested(wrong: [1]))
        var (recorded, files): (DownloadProgress?, [Bool]) = (nil, [true, false])
        for action in download.log[begin...] {
            switch action {
            case .record(let progress, let durability):
                #expect(durability == .power && progress.segments.received == 0)
                recorded = progress
            // The old file is gone, and the new one has no name yet.
            case .replacePart: files = [false]
            case .namePart: files = [true]
            default: break
            }
            guard let recorded else { continue }
            for hasPart in files {
                let next = try inPieces(from: recorded, hasPart: hasPart)
                let received = next.log.firstIndex { if case .receive = $0 { true } else { false } }
                let made = next.log.lastIndex {
                    switch $0 {
                    case .createPart, .replacePart: true
                    default: false
                    }
                }
                let isNew = try #require(made) < #require(received)
                #expect(isNew, "\(action), \(hasPart): \(next.log)")
                #expect(next.machine.progress.part?.seal?.key != [1], "\(action), \(hasPart)")
            }
        }
        #expect(files == [true] && recorded?.part?.seal?.key == [2], "each moment was looked at")
    }

    @Test("a download for the same recipients is the same, in any order, and for fewer it is not")
    func recipients() throws {
        func download(for recipients: [String]) throws -> DownloadSpecification {
            var options = DownloadOptions()
            options.recipients = recipients
            return DownloadSpecification(
                url: try HTTPURL(parsing: "https://h/f"),
                destination: .file(directory: "/d", name: nil),
                options: options
            )
        }
        let first = try download(for: ["age1a", "age1b"])
        for others in [["age1b", "age1a"], ["age1b", "age1a", "age1b"]] {
            let other = try download(for: others)
            #expect(other == first && other.identity == first.identity)
        }
        for others in [["age1a"], ["age1b"], []] {
            #expect(try download(for: others).identity != first.identity)
        }
    }

    @Test("a stream is not sealed")
    func stream() throws {
        var machine = try DownloadMachine.made(to: .standardOutput) { $0.recipients = ["age1"] }
        guard case .finish(.failed, _)? = machine.handle(.begin, at: .epoch).last else {
            Issue.record("a stream is asked for")
            return
        }
    }

    @Test("a name that Ferry chooses ends with .age")
    func name() throws {
        #expect(try FileName(userGiven: "a.tar").sealed.rawValue == "a.tar.age")
        let long = try FileName(userGiven: String(repeating: "x", count: 250) + ".tar")
        #expect(long.sealed.rawValue.hasSuffix(".age") && long.sealed.rawValue.utf8.count <= 255)
    }
}

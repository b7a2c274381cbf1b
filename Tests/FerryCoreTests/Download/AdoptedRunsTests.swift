import Testing

@testable import FerryCore

/// What aria2 fetched behind the first gap of a file, of which no digest is known.
@Suite("The runs of an adopted file")
struct AdoptedRunsTests {
    private static let length: Int64 = 100_000_000
    private static let runs: [Range<Int64>] = [0..<20_000_000, 40_000_000..<60_000_000, 80_000_000..<length]

    /// A download that has taken over these runs, and whose server sends this entity tag.
    private func download(
        having runs: [Range<Int64>] = Self.runs,
        tag: String? = "\"v1\""
    ) throws -> DividedDownload {
        var progress = DownloadProgress()
        progress.name = .fallback
        progress.segments = SegmentMap(having: runs, length: Self.length)
        progress.mirroring.noteOtherTool(Array(Self.runs.dropFirst()))
        progress.part = PartFileClaim(
            name: FileName.fallback.partName,
            identity: DownloadScenario.identity,
            boot: DownloadScenario.boot
        )
        progress.part?.adoption = PendingAdoption(name: .fallback, length: Self.length)
        return try DividedDownload(length: Self.length, tag: tag, from: progress)
    }

    /// Lets bytes arrive until the file counts as whole. What is compared behind the first gap may differ.
    private func run(_ download: inout DividedDownload, tag: String? = "\"v1\"", differs: Bool = false) {
        for _ in 0..<1_000 where !isWhole(download) && download.outcome == nil {
            download.passes(.milliseconds(200))
            for number in download.unanswered {
                let isCompared = comparesRun(number, of: download)
                download.answers(number, 206, tag: tag)
                if differs, isCompared { download.ends(number, .overlapDiffers) }
            }
        }
    }

    /// Whether a connection compares bytes of the other tool behind the first gap.
    private func comparesRun(_ number: Int, of download: DividedDownload) -> Bool {
        guard let connection = download.machine.board.connections[DividedDownload.id(number)] else {
            return false
        }
        if connection.comparison != nil { return true }
        guard case .overlap(let length) = connection.request.condition else { return false }
        let end = connection.request.from + length
        let before = download.machine.progress.mirroring.spans(of: end - 1..<end)
        return before.first?.source == .otherTool
    }

    private func isWhole(_ download: DividedDownload) -> Bool {
        download.log.contains(.trim(download.length))
    }

    private func isOfOtherTool(_ download: DividedDownload) -> Bool {
        download.machine.progress.mirroring.provenance.sources(of: 0..<download.length).contains(.otherTool)
    }

    /// How many bytes are asked for to be written.
    private func fetched(_ download: DividedDownload) -> Int64 {
        download.log.reduce(0) { sum, action in
            guard case .receive(_, let offset, let limit, let overlap) = action, limit != overlap else {
                return sum
            }
            return sum + (limit ?? download.length - offset) - overlap
        }
    }

    @Test("count once they are equal at both ends", arguments: ["\"v1\"", nil])
    func counts(tag: String?) throws {
        var download = try download(tag: tag)
        run(&download, tag: tag)
        #expect(isWhole(download) && isOfOtherTool(download))
        let ends = Set(Self.runs.dropFirst().flatMap { [$0.lowerBound, $0.upperBound] })
        #expect(Set(download.machine.progress.mirroring.compared.map(\.offset)) == ends)
        #expect(JunctionReview(download.machine.download).open.isEmpty)
        #expect(download.machine.progress.assurance == .overlapChecked)
        if tag == nil { #expect(fetched(download) == 40_000_000) }
    }

    @Test("are fetched if they are not equal there", arguments: ["\"v1\"", nil])
    func differs(tag: String?) throws {
        var download = try download(tag: tag)
        run(&download, tag: tag, differs: true)
        #expect(isWhole(download) && !isOfOtherTool(download), "\(String(describing: download.outcome))")
        #expect(download.machine.progress.mirroring.excluded == [.otherTool: .bytes])
        let notes = download.log.compactMap { if case .note(let note) = $0 { note.message } else { nil } }
        #expect(notes.contains { $0.hasPrefix("Behind its first gap, index.html has other bytes") })
    }

    @Test("are fetched in the next attempt if the server compares nothing")
    func notCompared() throws {
        var download = try download(having: [0..<Self.length])
        while download.outcome == nil, let number = download.unanswered.first {
            download.answers(number, 200)
        }
        #expect(!isWhole(download) && !isOfOtherTool(download))
        #expect(!download.machine.progress.segments.isComplete)
    }

    @Test("are fetched if a digest that the server gives is wrong")
    func wrongDigest() throws {
        var download = try download(having: [0..<Self.length]).machine.download
        let digests = try ["1", "2"].map { try Checksum(parsing: "md5=" + String(repeating: $0, count: 32)) }
        let repair = download.repair(wrongWhole: digests[0], expected: digests[1])
        guard case .fetchAgain(let ranges, _, let culprits) = repair else {
            Issue.record("\(repair)")
            return
        }
        #expect(ranges == Array(Self.runs.dropFirst()) && culprits.isEmpty)
    }

    @Test("cast no doubt on a download, and belong to no mirror")
    func noMirror() {
        var mirroring = Mirroring()
        mirroring.noteOtherTool([10..<20])
        #expect(!mirroring.usesMirrors(besides: []) && !mirroring.isDiscovered(.otherTool))
    }
}

import FerryCore
import Testing

/// A sealed file cannot be read again, so what its download has compared decides whether it is the one asked for.
@Suite("What a completed download has proved")
struct ProvedFileTests {
    private static func digest(_ byte: UInt8) -> Checksum {
        Checksum(algorithm: .sha256, digest: [UInt8](repeating: byte, count: 32))
    }

    /// What is asked of a file: the numbers stand for digests.
    struct Terms: Hashable, Sendable {
        var whole: UInt8?
        var piece: UInt8?
        var length: Int64?

        func options() throws -> DownloadOptions {
            var options = DownloadOptions()
            options.recipients = ["age1"]
            options.checksum = whole.map { digest($0) }
            options.length = length
            options.pieces = try piece.map { piece in
                try #require(PieceDigests(length: 6, checksums: [digest(piece)]))
            }
            return options
        }
    }

    /// What the download had, what is asked now, and whether the file counts.
    private static let rows: [(had: Terms, asked: Terms, isProved: Bool)] = [
        (Terms(), Terms(), true),
        (Terms(whole: 1), Terms(), true), (Terms(piece: 1), Terms(), true),
        (Terms(whole: 1), Terms(whole: 1), true), (Terms(whole: 1), Terms(whole: 2), false),
        (Terms(), Terms(whole: 1), false), (Terms(piece: 1), Terms(whole: 1), false),
        (Terms(piece: 1), Terms(piece: 1), true), (Terms(piece: 1), Terms(piece: 2), false),
        (Terms(), Terms(piece: 1), false),
        (Terms(whole: 1, piece: 1), Terms(whole: 1, piece: 1), true),
        (Terms(whole: 1), Terms(whole: 1, piece: 1), true),
        (Terms(whole: 1, piece: 1), Terms(whole: 2, piece: 1), false),
        // The whole was right, so the pieces were not looked at.
        (Terms(whole: 1, piece: 1), Terms(piece: 1), false),
        (Terms(), Terms(length: 6), true), (Terms(), Terms(length: 7), false),
        (Terms(piece: 1), Terms(piece: 1, length: 7), false),
    ]

    @Test("is what is asked now, whatever else is known", arguments: rows.indices)
    func provesWhatWasCompared(row: Int) throws {
        let (had, asked, isProved) = Self.rows[row]
        let specification = DownloadSpecification(
            url: try HTTPURL(parsing: "https://h/f"),
            destination: .file(directory: "/d", name: .fallback),
            options: try had.options()
        )
        var completed = DownloadWork(specification)
        completed.progress.segments = SegmentMap(length: 6)
        #expect(try completed.hasProved(asked.options()) == isProved)
    }
}

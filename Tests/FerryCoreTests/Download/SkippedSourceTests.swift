import Testing

@testable import FerryCore

/// Which failures of one source are told while others bring the file.
@Suite("A source that is skipped")
struct SkippedSourceTests {
    private static let mirror = "mirror.example"
    private static let mirrorURL = "https://mirror.example/f"

    private func download(
        length: Int64 = DividedDownload.length,
        _ change: (inout DownloadOptions) -> Void
    ) throws -> DividedDownload {
        let url = try HTTPURL(parsing: Self.mirrorURL)
        return try DividedDownload(length: length) { options in
            options.mirrors = [url]
            change(&options)
        }
    }

    /// What was said about skipped sources, in order.
    private func skips(_ download: DividedDownload) -> [String] {
        download.log.compactMap {
            if case .note(let note) = $0, note.code == .sourceFailed { note.message } else { nil }
        }
    }

    private static let refusal = Problem.transient(.connectionRefused, "It refuses the connection.")
    static let ends: [(problem: Problem, brought: Bool, isNamed: Bool)] = [
        (refusal, false, true),
        (.transient(.nameNotResolved, "Its name does not resolve."), false, true),
        (.transient(.timeout, "It does not answer."), false, true),
        (.transient(.serverOverloaded, "It is overloaded."), false, true),
        (.permanent(.notFound, "It has nothing there."), false, true),
        // It has answered; the note of the resumption names the source that continues.
        (.transient(.connectionLost, "The connection broke."), true, false),
        // The machine is offline, which says nothing about the server.
        (.condition(.network, .networkUnreachable, "There is no route."), false, false),
    ]

    @Test(arguments: ends)
    func isNamedIfItFailedByItself(problem: Problem, brought: Bool, isNamed: Bool) throws {
        var download = try download { $0.connections = 1 }
        if brought { download.passes(.milliseconds(100)) }
        download.ends(1, .failed(problem))
        #expect(download.open == [2] && download.host(of: 2) == Self.mirror)
        let text = "Skipping https://objects.example/f: \(problem.failure.message)"
        #expect(skips(download) == (isNamed ? [text] : []))
    }

    @Test func isNamedOnceWhileTheLeadBringsBytes() throws {
        let checksum = Checksum(algorithm: .sha256, digest: [UInt8](repeating: 7, count: 32))
        var download = try download(length: 1 << 34) { options in
            options.checksum = checksum
            options.connections = 4
        }
        for _ in 0..<100 {
            download.passes(.milliseconds(200))
            while let number = download.unanswered.first {
                if download.host(of: number) == Self.mirror {
                    download.ends(number, .failed(Self.refusal))
                } else {
                    download.proves(number)
                }
            }
        }
        #expect(download.outcome == nil && download.writing.count > 1)
        #expect(skips(download) == ["Skipping mirror \(Self.mirrorURL): It refuses the connection."])
    }

    /// The failure of the attempt names one source, and the notes name all others.
    @Test(arguments: [true, false])
    func isNamedIfNoSourceIsLeft(isOwnGone: Bool) throws {
        let gone = Problem.permanent(.notFound, "It has nothing there.")
        var download = try download { $0.connections = 1 }
        download.ends(1, .failed(isOwnGone ? gone : Self.refusal))
        download.ends(2, .failed(isOwnGone ? Self.refusal : gone))
        #expect(download.outcome == .failed(Self.refusal))
        let own = "Skipping https://objects.example/f: "
        #expect(
            skips(download)
                == (isOwnGone
                    ? [own + gone.failure.message]
                    : [own + Self.refusal.failure.message, "Skipping mirror \(Self.mirrorURL): \(gone)"])
        )
        let recorded = download.log.compactMap {
            if case .finish(_, let progress) = $0 { progress.note?.message } else { nil }
        }
        #expect(recorded == skips(download).suffix(1))
    }
}

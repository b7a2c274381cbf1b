import Foundation

/// The flows that take over the unfinished file of another tool.
extension CrashFlow {
    static var adopting: [CrashFlow] { [adopt(hasControl: false), adopt(hasControl: true)] }

    /// `ferry adopt` is killed. The same command again completes the download, and fetches no byte again that was there.
    private static func adopt(hasControl: Bool) -> CrashFlow {
        CrashFlow(
            name: hasControl ? "adopt a file of aria2" : "adopt a file of curl",
            adopts: true,
            before: { try $0.leaveUnfinished(hasControl: hasControl) },
            line: { ["adopt", "file.bin", $0.url] },
            after: { run in
                try await run.ferry(["adopt", "file.bin", run.url])
                // The first bytes are only compared.
                let starts = run.server.requests.filter { $0["range"] != "bytes=0-65535" }
                    .map { $0.rangeStart ?? 0 }
                run.check(starts.allSatisfy { $0 > 0 }, "the server was asked from \(starts)")
            }
        )
    }
}

extension CrashRun {
    /// The number of pieces that the other tool has fetched.
    private static let adoptedPieces = 10
    private static var adopted: Data { content.bytes.prefix(adoptedPieces * Aria2File.piece) }

    /// Writes what the other tool left. aria2 has fetched a later piece too.
    fileprivate func leaveUnfinished(hasControl: Bool) throws {
        var bytes = Self.adopted
        if hasControl {
            let count = (Self.content.count + Aria2File.piece - 1) / Aria2File.piece
            let pieces = (0..<count).map { $0 < Self.adoptedPieces || $0 == count - 1 }
            bytes += Data(count: (count - 1) * Aria2File.piece - bytes.count)
            bytes += Self.content.bytes.suffix(from: (count - 1) * Aria2File.piece)
            try Aria2File.control(of: pieces, length: Self.content.count)
                .write(to: URL(fileURLWithPath: final + ".aria2"))
        }
        try bytes.write(to: URL(fileURLWithPath: final))
    }

    /// Checks that no byte of the file is lost, under whichever name it is.
    func checkAdopted(_ moment: String) {
        let names = [final, part].filter { FileManager.default.fileExists(atPath: $0) }
        let bytes = names.first.flatMap { FileManager.default.contents(atPath: $0) }
        check(
            names.count == 1 && bytes?.starts(with: Self.adopted) == true,
            "\(moment): the unfinished file is lost: \(names)"
        )
    }
}

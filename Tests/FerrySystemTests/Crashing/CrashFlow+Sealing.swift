import Foundation

/// Downloads that are sealed as they arrive.
extension CrashFlow {
    static let sealing: [CrashFlow] = [
        CrashFlow(
            name: "download sealed",
            before: { try $0.writeIdentity() },
            line: { $0.sealedGet },
            after: { try await $0.opensSealed() },
            leaves: ["file.bin", "file.bin.age"],
            makesKey: true
        ),
        CrashFlow(
            name: "resume sealed",
            firstAnswer: .stall,
            before: { run in
                try run.writeIdentity()
                try await run.interruptedSealedDownload()
            },
            line: { $0.sealedGet },
            after: { try await $0.opensSealed() },
            leaves: ["file.bin", "file.bin.age"],
            makesKey: true
        ),
    ]
}

extension CrashRun {
    private var key: String { sandbox.root + "/key.txt" }
    private var sealed: String { sandbox.path(of: "file.bin.age") }

    fileprivate var sealedGet: [String] { ["get", "--seal-to", SampleIdentity.recipient, url] }

    fileprivate func writeIdentity() throws {
        try Data(SampleIdentity.text.utf8).write(to: URL(fileURLWithPath: key))
    }

    /// Checks that no file has bytes in clear.
    private func checkNothingInClear(_ moment: String) {
        // At chunks, and between them.
        let samples = stride(from: 0, to: Self.content.count - 32, by: 200_003).map { start in
            Self.content.bytes[start..<(start + 32)]
        }
        for path in [sealed, sealed + ".part"] {
            guard let bytes = FileManager.default.contents(atPath: path) else { continue }
            let isClear = samples.contains { bytes.firstRange(of: $0) != nil }
            check(!isClear, "\(moment): bytes in clear are in \(path)")
        }
    }

    /// Completes the download, and opens its file.
    fileprivate func opensSealed() async throws {
        checkNothingInClear("afterwards")
        if FileManager.default.fileExists(atPath: sealed) {
            try await ferry(["open", sealed, "-i", key, "-o", sandbox.root + "/whole"])
        }
        try await ferry(sealedGet)
        checkNothingInClear("in the end")
        try await ferry(["open", "file.bin.age", "-i", key])
    }

    /// Leaves a part of the sealed file that a command resumes.
    fileprivate func interruptedSealedDownload() async throws {
        let process = try sandbox.launch(sealedGet)
        try await Deadline.wait(for: "sealed chunks", said: { process.errorsSoFar }) {
            let count = FileManager.default.contents(atPath: sealed + ".part")?.count ?? 0
            return count > 10 * 65_552
        }
        process.send(SIGINT)
        let outcome = try await process.outcome()
        check(outcome.status == 7, "interrupted, and \(outcome.status): \(outcome.errors)")
        acknowledge(outcome)
    }
}

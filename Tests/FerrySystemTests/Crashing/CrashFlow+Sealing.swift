import Foundation

/// Downloads that are sealed as they arrive, and files that are sealed by a command.
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
        seal(replacing: false),
        seal(replacing: true),
        open(replacing: false),
        open(replacing: true),
    ]

    /// `ferry seal` is killed. Under the final name there is the whole sealed file, or what was there before.
    private static func seal(replacing: Bool) -> CrashFlow {
        CrashFlow(
            name: replacing ? "seal a file in the place of another" : "seal a file",
            before: { try $0.writeClear(besidesFormer: replacing) },
            line: { $0.seal + (replacing ? ["--overwrite"] : []) },
            after: { try await $0.sealsAgain(replacing: replacing) },
            leaves: ["file.bin", "file.bin.age"],
            rows: 0...0
        )
    }

    /// `ferry open` is killed. Under the final name there is the whole file in clear, or what was there before.
    private static func open(replacing: Bool) -> CrashFlow {
        CrashFlow(
            name: replacing ? "open a sealed file in the place of another" : "open a sealed file",
            replaces: replacing,
            before: { try await $0.writeSealed() },
            line: { $0.opening + (replacing ? ["--overwrite"] : []) },
            after: { try await $0.opensAgain(replacing: replacing) },
            leaves: ["file.bin", "file.bin.age"],
            rows: 0...0
        )
    }
}

extension CrashRun {
    private var key: String { sandbox.root + "/key.txt" }
    private var sealed: String { sandbox.path(of: "file.bin.age") }

    fileprivate var sealedGet: [String] { ["get", "--seal-to", SampleIdentity.recipient, url] }

    fileprivate func writeIdentity() throws {
        try Data(SampleIdentity.text.utf8).write(to: URL(fileURLWithPath: key))
    }

    fileprivate var seal: [String] { ["seal", "file.bin", "--to", SampleIdentity.recipient] }

    /// Checks that no file of ferry has bytes in clear, except the file that is sealed.
    private func checkNothingInClear(_ moment: String, besides clear: [String] = []) {
        for directory in [sandbox.workingDirectory, sandbox.data] {
            for name in FileManager.default.subpaths(atPath: directory) ?? [] where !clear.contains(name) {
                let isClear = FileManager.default.contents(atPath: "\(directory)/\(name)").map {
                    Self.content.appears(in: $0)
                }
                check(isClear != true, "\(moment): bytes in clear are in \(name)")
            }
        }
    }

    /// Opens the sealed file, and checks that it is whole.
    private func opensWhole(_ moment: String) async throws {
        let opened = sandbox.root + "/whole"
        try await ferry(["open", sealed, "-i", key, "-o", opened, "--overwrite"])
        check(Self.content.isWhole(at: opened), "\(moment): the sealed file is another one")
    }

    /// Completes the download, and opens its file.
    fileprivate func opensSealed() async throws {
        checkNothingInClear("afterwards")
        if FileManager.default.fileExists(atPath: sealed) { try await opensWhole("afterwards") }
        try await ferry(sealedGet)
        checkNothingInClear("in the end")
        try await ferry(["open", "file.bin.age", "-i", key])
    }

    /// Writes the file to seal, and maybe another one under the name of the sealed one.
    fileprivate func writeClear(besidesFormer hasFormer: Bool) throws {
        try writeIdentity()
        try Self.content.bytes.write(to: URL(fileURLWithPath: final))
        if hasFormer { try Self.replaced.bytes.write(to: URL(fileURLWithPath: sealed)) }
    }

    /// Seals the file unless that is done, and opens it.
    fileprivate func sealsAgain(replacing: Bool) async throws {
        checkNothingInClear("afterwards", besides: ["file.bin"])
        check(Self.content.isWhole(at: final), "afterwards: the file in clear has changed")
        if replacing {
            if !Self.replaced.isWhole(at: sealed) { try await opensWhole("afterwards") }
            try await ferry(seal + ["--overwrite"])
        } else if !FileManager.default.fileExists(atPath: sealed) {
            try await ferry(seal)
        }
        try await opensWhole("in the end")
    }

    fileprivate var opening: [String] { ["open", "file.bin.age", "-i", key] }

    /// Seals the file, and leaves it nowhere in clear.
    fileprivate func writeSealed() async throws {
        try writeIdentity()
        let clear = sandbox.root + "/clear"
        try Self.content.bytes.write(to: URL(fileURLWithPath: clear))
        try await ferry(["seal", clear, "--to", SampleIdentity.recipient, "-o", sealed])
        try FileManager.default.removeItem(atPath: clear)
    }

    /// Opens the file unless that is done. Only a draft that is to replace a file has a name, right before it does.
    fileprivate func opensAgain(replacing: Bool) async throws {
        let draft = ".file.bin.ferry.part"
        let isWhole = Self.content.isWhole(at: sandbox.path(of: draft))
        let mayBeThere = replacing && isWhole || !hasNamelessFiles
        checkNothingInClear("afterwards", besides: ["file.bin"] + (mayBeThere ? [draft] : []))
        if replacing {
            try await ferry(opening + ["--overwrite"])
        } else if !FileManager.default.fileExists(atPath: final) {
            try await ferry(opening)
        }
        // The caller finds any draft that is still there.
    }

    /// Whether the file system can create files without a name (`O_TMPFILE`, which Swift's Glibc module lacks).
    private var hasNamelessFiles: Bool {
        let descriptor = open(sandbox.workingDirectory, 0o20_000_000 | O_DIRECTORY | O_RDWR, 0o600)
        guard descriptor >= 0 else { return false }
        close(descriptor)
        return true
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

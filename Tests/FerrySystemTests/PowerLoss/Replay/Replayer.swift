import Foundation
import Glibc

/// Creates the files of a crash state, and lets the real binary recover from it.
struct Replayer {
    let flow: Flow
    let recording: Recording
    let sandbox: Sandbox
    let directories: FlowDirectories
    let server: ScriptedServer
    let inbox: RequestInbox
    let uploads: UploadReplay

    /// The result of one replay.
    struct Verdict: Sendable {
        var violations: [String] = []
        /// Whether the transfer resumed from bytes that it had.
        var resumed = false
        /// Whether the server got no request.
        var wasComplete = false
    }

    /// Replays a power cut after `cut` operations.
    ///
    /// - Parameter latestArrived: whether the latest request of an upload has arrived. Otherwise it was lost, unless an answer
    ///   to it was recorded.
    func replay(_ crashState: CrashState, cut: Int, latestArrived: Bool) async throws -> Verdict {
        try materialize(crashState)
        var verdict = Verdict()
        let found = try await sandbox.ferry("list", "--all", "--json", environment: directories.environment)
        guard found.status == 0 else {
            verdict.violations.append("the store does not open: \(found.errors)")
            return verdict
        }
        let transfers = try ListedTransfer.all(in: found.output)
        try await checkPromises(transfers, cut: cut, &verdict)
        try await checkFiles("after the power cut", &verdict)
        let sending = RequestReplay(replayer: self, cut: cut)
        let former = try ListedRequest.all(in: found.output)
        // What was recorded as completed was answered.
        let wasAnswered = former.contains { $0.state == "completed" }
        uploads.restore(cut: cut, latestArrived: latestArrived || wasAnswered)
        verdict.violations += try await sending.violations(in: former)
        let (asked, arrived) = (server.requests.count, inbox.all.count)
        let again = try await sandbox.launch(
            directories.words(flow.recovery, server),
            environment: directories.environment
        ).outcome()
        let requests = server.requests.dropFirst(asked)
        checkRequests(requests, transfers, cut: cut, &verdict)
        verdict.resumed = requests.contains { $0.rangeStart ?? 0 > 0 }
        verdict.wasComplete = requests.isEmpty
        verdict.violations += try await sending.violations(
            in: sandbox.requests(environment: directories.environment),
            formerly: former,
            after: inbox.all.dropFirst(arrived)
        )
        verdict.violations += uploads.violations(
            in: try await sandbox.requests(environment: directories.environment),
            formerly: former,
            after: Array(requests),
            cut: cut,
            promised: ended(cut).contains { $0.promise == .uploaded }
        )
        // It ends with 33 when it meets an unknown outcome.
        if again.status != 0, again.status != 33 || flow.requests.allSatisfy(\.isRepeatable) {
            verdict.violations.append("the same line ends with \(again.status): \(again.errors)")
        }
        try await checkEnd(&verdict)
        return verdict
    }

    // MARK: The crash state

    /// Creates the files and directories of a crash state. A file whose inode is kept gets the same inode, because a
    /// progress identifies its part file by it.
    func materialize(_ crashState: CrashState) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: directories.root) {
            try rescueInodes(in: "\(directories.root)/\(name)")
            try FileManager.default.removeItem(atPath: "\(directories.root)/\(name)")
        }
        for path in crashState.directories {
            guard mkdir("\(directories.root)/\(path)", 0o700) == 0 else {
                throw FreePort.NoPort(errno: errno)
            }
        }
        for file in crashState.files {
            let path = "\(directories.root)/\(file.path)"
            if let safe = recording.kept[file.node] {
                // The second link keeps the inode if ferry removes the file. An untouched file is moved instead,
                // because ferry takes over an empty part file only if it has one link.
                let call = file.isUntouched ? rename : link
                guard call(safe, path) == 0 else { throw FreePort.NoPort(errno: errno) }
            }
            let descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { throw FreePort.NoPort(errno: errno) }
            defer { close(descriptor) }
            let bytes = file.image.bytes
            guard pwrite(descriptor, bytes, bytes.count, 0) == bytes.count else {
                throw FreePort.NoPort(errno: errno)
            }
            // The sync of a directory also makes the times of a renamed file durable.
            if let time = recording.modified[file.node] {
                guard futimens(descriptor, [time, time]) == 0 else { throw FreePort.NoPort(errno: errno) }
            }
        }
    }

    /// Moves the files with kept inodes back into the vault after the last replay.
    private func rescueInodes(in directory: String) throws {
        guard directory == directories.destination else { return }
        var names: [UInt: String] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: directory) {
            var status = stat()
            if stat("\(directory)/\(name)", &status) == 0 {
                names[UInt(status.st_ino)] = "\(directory)/\(name)"
            }
        }
        for (node, inode) in inodes where !FileManager.default.fileExists(atPath: recording.kept[node] ?? "")
        {
            guard let name = names[inode], let safe = recording.kept[node], rename(name, safe) == 0 else {
                throw TraceProblem("the inode of a part file is lost")
            }
        }
    }

    private var inodes: [NodeID: UInt] { recording.inodes }

    // MARK: Checks

    /// The steps that ended before the cut.
    func ended(_ cut: Int) -> [Flow.Step] {
        zip(flow.steps, recording.ends).filter { $0.1 <= cut }.map(\.0)
    }

    private func checkPromises(
        _ transfers: [ListedTransfer],
        cut: Int,
        _ verdict: inout Verdict
    ) async throws {
        let ids = Set(transfers.map(\.id))
        for operation in recording.operations.prefix(cut) {
            guard case .say(let text) = operation, let id = Int(text.split(separator: "\n").first ?? "")
            else {
                continue
            }
            if !ids.contains(id) {
                verdict.violations.append("I3: transfer \(id) was acknowledged and is lost")
            }
        }
        for step in ended(cut) { try await check(step.promise, transfers, &verdict) }
        guard !flow.evicts else { return }
        for transfer in transfers where transfer.state == "completed" && transfer.kind == "download" {
            guard let resource = transfer.name.flatMap(flow.resource(savedAs:)),
                try await isWhole(resource) || hasOnlyFormer(resource, transfers)
            else {
                verdict.violations.append("I8: completed, but its file is missing: \(transfer)")
                continue
            }
        }
    }

    private func check(
        _ promise: Flow.Promise,
        _ transfers: [ListedTransfer],
        _ verdict: inout Verdict
    ) async throws {
        switch promise {
        case .added, .nothing, .answered, .unknown, .uploaded: break
        case .published(let names):
            for name in names {
                let transfer = transfers.last { $0.name.flatMap(flow.resource(savedAs:))?.name == name }
                guard transfer?.state != "completed" else { continue }
                verdict.violations.append("I8: \(name) was published and is not completed: \(transfers)")
            }
            try await checkSaved(names, &verdict)
        case .saved(let names): try await checkSaved(names, &verdict)
        case .pinned:
            let listed = try await sandbox.ferry(
                "cache",
                "list",
                "--json",
                environment: directories.environment
            )
            if !listed.output.contains(#""isPinned":true"#) {
                verdict.violations.append("the entry was pinned and is not: \(listed.output)\(listed.errors)")
            }
        case .kept(let count):
            if transfers.allSatisfy({ $0.durable ?? 0 < count }) {
                verdict.violations.append("bytes that a pause kept are lost: \(transfers)")
            }
        }
    }

    /// Checks that files which a command has reported are whole, and not the former ones.
    private func checkSaved(_ names: [String], _ verdict: inout Verdict) async throws {
        for resource in flow.resources where names.contains(resource.name) {
            if try await !isWhole(resource) {
                verdict.violations.append("I1: \(resource.name) was saved and is not whole")
            }
        }
    }

    /// Whether a mirror has completed only the former version of a resource, and has it.
    private func hasOnlyFormer(_ resource: Flow.Resource, _ transfers: [ListedTransfer]) -> Bool {
        guard flow.hasManifest, let former = flow.former[resource.name] else { return false }
        return former.isWhole(at: "\(directories.destination)/\(resource.name)")
            && transfers.count { $0.state == "completed" && $0.name == resource.name } == 1
    }

    /// The file that has the bytes of a resource; `nil` if there is none.
    private func path(of resource: Flow.Resource) throws -> String? {
        if let name = flow.fileName(of: resource.name) {
            let path = "\(directories.destination)/\(name)"
            return FileManager.default.fileExists(atPath: path) ? path : nil
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: directories.destination)
        return names.first { !$0.hasSuffix(".part") }.map { "\(directories.destination)/\($0)" }
    }

    /// Whether a file has exactly the bytes of a resource.
    private func isWhole(_ resource: Flow.Resource) async throws -> Bool {
        guard let path = try path(of: resource) else { return false }
        guard flow.keeping == .sealed else { return resource.content.isWhole(at: path) }
        let opened = directories.vault + "/opened"
        let outcome = try await sandbox.ferry("open", path, "-i", directories.identity, "-o", opened)
        guard outcome.status == 0 else { return false }
        defer { unlink(opened) }
        return resource.content.isWhole(at: opened)
    }

    /// Checks that each final name holds a whole file, or the former one.
    private func checkFiles(_ when: String, _ verdict: inout Verdict) async throws {
        for resource in flow.resources {
            guard let path = try path(of: resource) else {
                if flow.former[resource.name] != nil {
                    verdict.violations.append(
                        "\(when): \(resource.name), which was to be replaced, is missing"
                    )
                }
                continue
            }
            let isFormer = flow.former[resource.name]?.isWhole(at: path) ?? false
            if try await !isWhole(resource), !isFormer {
                verdict.violations.append("I1: \(when) \(resource.name) is not whole")
            }
        }
    }

    /// Checks that a completed file is not requested again, unless it is to be replaced.
    private func checkRequests(
        _ requests: ArraySlice<ScriptedRequest>,
        _ transfers: [ListedTransfer],
        cut: Int,
        _ verdict: inout Verdict
    ) {
        guard flow.former.isEmpty, !flow.evicts else { return }
        for transfer in transfers where transfer.state == "completed" {
            if let resource = transfer.name.flatMap(flow.resource(savedAs:)),
                requests.contains(where: { $0.path == "/\(resource.name)" })
            {
                verdict.violations.append("I8: \(resource.name) was completed and is asked for again")
            }
        }
        // Bytes that a pause made durable are not fetched again.
        for step in ended(cut) {
            if case .kept(let count) = step.promise, requests.contains(where: { $0.rangeStart ?? 0 < count })
            {
                verdict.violations.append("bytes that a pause kept are asked for again")
            }
        }
    }

    /// Checks that at the end every file is whole, and that there are no other files.
    private func checkEnd(_ verdict: inout Verdict) async throws {
        for resource in flow.resources where try await !isWhole(resource) {
            verdict.violations.append("I2: in the end \(resource.name) is not whole")
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: directories.destination).sorted()
        let wanted = Set(flow.resources.compactMap { flow.fileName(of: $0.name) }).union(flow.former.keys)
        if flow.keeping == .pooled ? names.count != 1 : names != wanted.sorted() {
            verdict.violations.append("in the end there is \(names)")
        }
    }
}

import Foundation
import Glibc
import Testing

/// Runs a flow under strace, with another boot ID than this machine's.
struct Recorder {
    let flow: Flow
    let sandbox: Sandbox
    let directories: FlowDirectories
    let server: ScriptedServer
    let gates: Gates

    func record() async throws -> Recording {
        try "0badc0de-0000-4000-8000-000000000000\n".write(toFile: boot, atomically: true, encoding: .utf8)
        if !flow.makesStore {
            try await sandbox.ferry("list", environment: directories.environment).expect(0)
        }
        for command in flow.preparation {
            let words = directories.words(command, server)
            try await sandbox.launch(words, environment: directories.environment).outcome().expect(0)
        }
        for (name, content) in flow.former where !flow.hasManifest {
            try content.bytes.write(to: URL(fileURLWithPath: "\(directories.destination)/\(name)"))
        }
        let (disk, names) = try Disk.read(directories.root)
        var interpreter = TraceInterpreter(names: names, workingDirectory: sandbox.workingDirectory)
        var ends: [Int] = []
        var links: [NodeID: String] = [:]
        // A mirror knows the files that it has placed by their inodes.
        if flow.hasManifest { try link(names, &links) }
        for (number, step) in flow.steps.enumerated() {
            let log = "\(sandbox.root)/trace-\(number)"
            try await run(step, log)
            try interpreter.interpret(Array(try Data(contentsOf: URL(fileURLWithPath: log))))
            ends.append(interpreter.operations.count)
            try link(interpreter.names, &links)
        }
        var after = disk
        for operation in interpreter.operations { after.apply(operation) }
        let differences = try after.differences(from: directories.root, interpreter.names)
        guard differences.isEmpty else { throw TraceProblem("the trace lacks something: \(differences)") }
        let kept = try keepInodes(interpreter.names, links)
        guard !kept.isEmpty || !interpreter.operations.contains(where: \.createsPartFile) else {
            throw TraceProblem("no inode of a part file was kept")
        }
        return Recording(
            disk: disk,
            operations: interpreter.operations,
            ends: ends,
            kept: kept,
            inodes: try kept.mapValues { UInt(try Self.status(of: $0).st_ino) },
            modified: try kept.mapValues { try Self.status(of: $0).st_mtim }
        )
    }

    /// Starts a command that sees the boot ID of the recording.
    private func launch(_ command: [String]) throws -> ChildProcess {
        let mount = "mount --bind \"$1\" /proc/sys/kernel/random/boot_id && shift && exec \"$@\""
        return try sandbox.launch(
            executable: try Tool("unshare").requiredPath(),
            ["-m", "sh", "-c", mount, "sh", boot] + command,
            environment: directories.environment
        )
    }

    private func run(_ step: Flow.Step, _ log: String) async throws {
        let process = try launch(
            [try Tool.strace.requiredPath()] + Tracer.arguments(log: log) + [Repository.ferry]
                + directories.words(step.arguments, server)
        )
        if let interruption = step.interruption { try await interrupt(interruption, process, log) }
        try await process.outcome().expect(step.status)
    }

    /// Presses Ctrl-C after enough bytes are received, and recorded or synced.
    private func interrupt(
        _ interruption: Flow.Step.Interruption,
        _ process: ChildProcess,
        _ log: String
    ) async throws {
        try await Deadline.wait(for: "the part file to hold \(interruption.count) bytes") {
            process.hasEnded || (Self.length(of: part) ?? 0) >= interruption.count
        }
        // Another process looks at the store. It changes only the index of the log.
        try await Deadline.wait(for: "the progress to be recorded", said: { process.errorsSoFar }) {
            if process.hasEnded { return true }
            let list = try await launch([Repository.ferry, "list", "--all", "--json"]).outcome()
            return try ListedTransfer.all(in: list.output).contains {
                switch interruption {
                case .after(let count): $0.received >= count
                case .afterSync: $0.durable ?? 0 > 0
                }
            }
        }
        // The command is a child of strace, which forwards no signal. Each line of the log begins with a thread number.
        let text = FileManager.default.contents(atPath: log) ?? Data()
        guard let pid = pid_t(String(decoding: text.prefix { $0 != UInt8(ascii: " ") }, as: UTF8.self)) else {
            throw TraceProblem("the trace does not tell the process")
        }
        if !process.hasEnded { kill(pid, SIGINT) }
        _ = try await process.outcome()
        gates.openNext()
    }

    private static func status(of path: String) throws -> stat {
        var status = stat()
        guard stat(path, &status) == 0 else { throw TraceProblem("\(path) is gone") }
        return status
    }

    private static func length(of path: String) -> Int? {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : nil
    }

    private var boot: String { sandbox.root + "/boot" }
    private var part: String {
        let name = flow.resources.first.flatMap { flow.fileName(of: $0.name) } ?? ""
        return "\(directories.destination)/\(name).part"
    }
    /// Gives every downloaded file a second link in the vault. A later step may remove the file, and a replay of a cut
    /// before that needs its inode.
    private func link(_ names: NameTree, _ links: inout [NodeID: String]) throws {
        for (path, node) in downloaded(names) where links[node] == nil {
            let safe = "\(directories.vault)/\(node.rawValue)"
            try FileManager.default.linkItem(atPath: path, toPath: safe)
            links[node] = safe
        }
    }

    /// Leaves the vault's link as the only one to every file that a progress may name, so that its inode number is not
    /// reused.
    private func keepInodes(_ names: NameTree, _ links: [NodeID: String]) throws -> [NodeID: String] {
        for path in downloaded(names).keys {
            try FileManager.default.removeItem(atPath: path)
        }
        return links
    }

    /// The files in the destination.
    private func downloaded(_ names: NameTree) -> [String: NodeID] {
        names.allPaths.filter { path, node in
            path.hasPrefix(directories.destination + "/") && names.directories[node] == nil
        }
    }
}

extension DiskOperation {
    fileprivate var createsPartFile: Bool {
        switch self {
        case .create(_, let name, _): name.hasSuffix(".part")
        case .bind(let names, _): names.contains { $0.key.hasSuffix(".part") && $0.value != nil }
        default: false
        }
    }
}

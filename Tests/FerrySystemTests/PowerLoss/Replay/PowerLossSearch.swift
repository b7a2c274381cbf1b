import Foundation
import Testing

/// Records one flow, draws power cuts, and checks how ferry recovers from each.
struct PowerLossSearch {
    let flow: Flow
    /// How many replays.
    let count: Int
    let seed: UInt64

    /// The counts and failures of a search.
    struct Tally: Sendable {
        var operations = 0
        var cuts = 0
        var replays = 0
        /// Draws of a crash state that was already replayed.
        var repeats = 0
        var resumed = 0
        var complete = 0
        var failures: [String] = []
    }

    /// The model decides what a sync makes durable. So the files can be in memory, where replays are fast.
    private static let memory: String = {
        let shared = "/dev/shm"
        return FileManager.default.isWritableFile(atPath: shared) ? shared : NSTemporaryDirectory()
    }()

    func run() async throws -> Tally {
        var tally = Tally()
        let gates = Gates(flow)
        let flow = flow
        let (inbox, host) = (RequestInbox(), UploadHost(keepingHistory: true))
        let server = try ScriptedServer { connection, request in
            if let ending = host.take(request, from: connection) { return ending }
            return Self.play(flow, request, on: connection, gates, inbox)
        }
        defer { server.stop() }
        // A gate that stays closed would block a thread of the server forever.
        defer { gates.openAll() }
        try await Sandbox.open(in: Self.memory) { sandbox in
            let directories = try FlowDirectories(in: sandbox)
            try flow.source?.bytes.write(to: URL(fileURLWithPath: directories.source))
            if flow.upload != nil { try sandbox.writeKeys() }
            let recorder = Recorder(
                flow: flow,
                sandbox: sandbox,
                directories: directories,
                server: server,
                gates: gates
            )
            let recording = try await recorder.record()
            for request in flow.requests
            where recording.departures(to: request.path, before: recording.operations.count) == 0 {
                throw TraceProblem("the trace does not say when \(request.path) left")
            }
            if flow.keeping == .sealed, recording.writesInClear(flow.resources) {
                tally.failures.append("\(flow.name): bytes in clear were written to the disk")
            }
            let replayer = Replayer(
                flow: flow,
                recording: recording,
                sandbox: sandbox,
                directories: directories,
                server: server,
                inbox: inbox,
                uploads: UploadReplay(recording: recording, host: host, flow: flow)
            )
            tally.operations = recording.operations.count
            try await replay(recording, replayer, &tally)
        }
        return tally
    }

    /// Serves a file of the flow, or receives a request.
    private static func play(
        _ flow: Flow,
        _ request: ScriptedRequest,
        on connection: ScriptedConnection,
        _ gates: Gates,
        _ inbox: RequestInbox
    ) -> ScriptedServer.Ending {
        var reply = ScriptedReply(status: 404)
        if request.method != "GET" {
            guard let body = connection.askForBody(of: request) else { return .closes }
            inbox.take(request, body)
            if request.path == Flow.lost, request.ordinal == 1 { return .resets }
            reply = ScriptedReply(status: 201, body: Array(Flow.answer.utf8))
        } else if flow.hasManifest, request.path == Flow.manifestPath {
            let isFormer = !flow.former.isEmpty && request.ordinal == 1
            let tag = isFormer ? "\"former\"" : "\"manifest\""
            reply = .serving(flow.manifest(ofFormer: isFormer), tag: tag, to: request)
        } else if let former = flow.former.first(where: { Flow.formerFolder + $0.key == request.path }) {
            reply = .serving(former.value, tag: "\"former\"", to: request)
        } else if let resource = flow.resources.first(where: { "/\($0.name)" == request.path }) {
            reply = .serving(resource.content, tag: "\"\(resource.name)\"", to: request)
            reply.framing = resource.framing
            reply.gates = gates.places(from: request.rangeStart ?? 0)
        }
        return connection.write(reply, to: request) ? .stays : .closes
    }

    /// A drawn power cut: its position, and what survives.
    private struct Draw {
        var cut: Int
        var survival: Survival
        var seed: UInt64
    }

    private func replay(_ recording: Recording, _ replayer: Replayer, _ tally: inout Tally) async throws {
        var disks = [recording.disk]
        for operation in recording.operations {
            var next = disks[disks.count - 1]
            next.apply(operation)
            disks.append(next)
        }
        var random = SeededRandom(seed: seed)
        var cuts: Set<Int> = []
        var seen: Set<CrashState> = []
        for number in 0..<count {
            let draw = Draw(
                cut: Int.random(in: disks.indices, using: &random),
                survival: Survival.allCases[number % Survival.allCases.count],
                seed: random.next()
            )
            cuts.insert(draw.cut)
            let crashState = PowerCut.crashState(of: disks[draw.cut], draw.survival, seed: draw.seed)
            // A replay of the same crash state gives the same result, unless more was guaranteed by then.
            var key = crashState
            key.losses = ["\(recording.promises(before: draw.cut))"]
            guard seen.insert(key).inserted else {
                tally.repeats += 1
                continue
            }
            let verdict = try await replayer.replay(
                crashState,
                cut: draw.cut,
                latestArrived: draw.seed % 2 == 0
            )
            tally.replays += 1
            if verdict.resumed { tally.resumed += 1 }
            if verdict.wasComplete { tally.complete += 1 }
            guard !verdict.violations.isEmpty else { continue }
            let kept = try keep(crashState, replayer)
            tally.failures.append(
                """
                \(flow.name): \(verdict.violations.joined(separator: "\n  "))
                  seed \(seed), cut after \(draw.cut) of \(recording.operations.count) \
                (\(Self.describe(recording.operations, before: draw.cut))), \(draw.survival.rawValue), \
                found by replay \(tally.replays), kept in \(kept)
                  lost: \(crashState.losses.prefix(40).joined(separator: "; "))
                """
            )
        }
        tally.cuts = cuts.count
    }

    /// Saves the files that a failed replay began with.
    private func keep(_ crashState: CrashState, _ replayer: Replayer) throws -> String {
        let name = "ferry-power-loss-\(UUID().uuidString.prefix(8))"
        let kept = "\(NSTemporaryDirectory())/\(name)"
        try replayer.materialize(crashState)
        try FileManager.default.copyItem(atPath: replayer.directories.root, toPath: kept)
        return kept
    }

    /// A short description of the last operation before a cut.
    private static func describe(_ operations: [DiskOperation], before cut: Int) -> String {
        guard cut > 0 else { return "at the beginning" }
        switch operations[cut - 1] {
        case .write(let bytes, let node, let offset):
            return "a write of \(bytes.count) to file \(node.rawValue) at \(offset)"
        case let operation: return "\(operation)"
        }
    }
}

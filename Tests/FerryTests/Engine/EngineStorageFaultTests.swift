import Ferry
import FerryCore
import FerryTesting
import HTTPTypes
import Testing

/// One call to the disk fails. The tests cover each operation, each of its calls and each kind of failure, before or after
/// the call took effect, at each stage of a download.
@Suite("When one call to the disk fails", .timeLimit(.minutes(10)))
struct EngineStorageFaultTests {
    /// The kinds of failure, as the live file system classifies the kernel's error numbers.
    static let problems: [StorageProblem] = [
        // EIO, and transient errors: EMFILE, ENFILE, ENOMEM, ESTALE.
        StorageProblem(.transient(.storageFault, "The disk reported an error."), errno: 5),
        // ENOSPC, EDQUOT.
        StorageProblem(.condition(.diskSpace(needed: 1), .diskFull, "The disk is full."), errno: 28),
        // EACCES, EPERM.
        StorageProblem(.permanent(.cannotCreate, "Permission denied."), errno: 13),
    ]

    /// The effect that the failed call may have had. Only for these two can half an effect differ from none and all.
    private static func effects(of operation: FileFault.Operation) -> [FileFault.Effect] {
        switch operation {
        case .write, .publish: [.none, .half, .whole]
        default: [.none, .whole]
        }
    }

    /// The operations of this stage, recorded in a run without a fault.
    private func faults(at stage: StorageStage) async throws -> [FileFault] {
        let bench = try await stage.prepared()
        let before = FileFault.Operation.allCases.map { bench.files.calls(of: $0) }
        _ = try await stage.act(in: bench)
        return zip(FileFault.Operation.allCases, before).flatMap { operation, before in
            // The first two writes and the last one are enough.
            let calls = bench.files.calls(of: operation) - before
            return Set([1, 2, calls]).filter { $0 >= 1 && $0 <= calls }.sorted().flatMap { call in
                Self.problems.flatMap { problem in
                    Self.effects(of: operation).map {
                        FileFault(operation, call: call, problem: problem, effect: $0)
                    }
                }
            }
        }
    }

    @Test(arguments: StorageStage.allCases)
    func nothingIsWrongAndTheSameAgainCompletes(_ stage: StorageStage) async throws {
        let faults = try await faults(at: stage)
        #expect(faults.count >= 6, "\(stage) asks too little of the disk")
        var met = 0
        for (index, fault) in faults.enumerated() {
            let where_ =
                "\(stage), \(fault.operation) \(fault.call), \(fault.effect), \(fault.problem.problem)"
            let bench = try await stage.prepared()
            let before = bench.files.calls(of: fault.operation)
            bench.files.inject(fault)
            let state = try await stage.act(in: bench)
            // The number of syncs during a long download depends on the clock.
            guard bench.files.calls(of: fault.operation) - before >= fault.call else { continue }
            met += 1
            let meets = stage.meets(state, after: fault)
            #expect(meets, "\(where_): it is \(state.map { "\($0)" } ?? "nowhere")")
            #expect(try stage.isRight(bench, state), "\(where_): wrong bytes")
            // Every third time, the power fails as well.
            if index.isMultiple(of: 3) {
                bench.machine.reboot()
                bench.files.losePower(seed: UInt64(index))
                #expect(try stage.isRight(bench, state), "\(where_): wrong bytes after a power cut")
            }
            if stage == .stream { continue }
            let again = try await stage.act(in: bench)
            #expect(again == stage.end, "\(where_), and again: \(again.map { "\($0)" } ?? "nowhere")")
            #expect(try stage.isRight(bench, again), "\(where_), and again: wrong bytes")
            #expect(bench.files.names(in: "/d") == stage.leaves, "\(where_), and again")
        }
        #expect(met * 2 > faults.count)
    }

    @Test func aFailedSyncIsAnsweredByFetchingAndNeverByAnotherSync() async throws {
        // The bytes of the earlier attempt were synced. The sync of this one failed, so none of its own count.
        let rest = "bytes=6000-"
        let cases: [(StorageStage, [String?])] = [(.fresh, [nil, nil]), (.resumed, [nil, rest, rest])]
        for (stage, ranges) in cases {
            let bench = try await stage.prepared()
            bench.files.inject(FileFault(.synchronize, problem: Self.problems[0]))
            #expect(try await stage.act(in: bench) == .completed)
            #expect(bench.transport.requests.map { $0.headers[.range] } == ranges, "\(stage)")
        }
    }
}

/// The stage of a download at which the disk fails.
enum StorageStage: CaseIterable {
    /// Nothing exists yet.
    case fresh
    /// Nothing exists yet, and the first answer gives the name.
    case unnamed
    /// The same, and the whole body arrives with its head.
    case whole
    /// An earlier attempt has left 6,000 bytes.
    case resumed
    /// A file exists that must be replaced, and a checksum must be verified.
    case replacing
    /// An earlier attempt has left 6,000 bytes, which must be removed.
    case cancelled
    /// The bytes go to a stream.
    case stream

    /// The final state without a fault.
    var end: TransferState { self == .cancelled ? .cancelled : .completed }

    /// The files in the directory then.
    var leaves: [String] { self == .cancelled ? [] : ["file.bin"] }

    private static let former: [UInt8] = [1, 2, 3]

    /// A machine in the state before this stage.
    func prepared() async throws -> Bench {
        let bench = try Bench(bringsWholeBodies: self == .whole)
        switch self {
        case .fresh, .unnamed, .whole: break
        case .resumed, .cancelled:
            bench.transport.order(.breakAfter(6_000), at: bench.url)
            var options = DownloadOptions()
            options.retries = 0
            let engine = bench.engine()
            _ = try await engine.download(from: bench.url, to: bench.destination, options: options)
            try await engine.run()
            #expect(bench.files.names(in: "/d") == ["file.bin.part"])
        case .replacing:
            bench.files.put(.file, Self.former, as: try FileName(userGiven: "file.bin"), in: "/d")
        case .stream:
            bench.files.addStream("/pipe")
        }
        return bench
    }

    /// Runs the stage in a new process, through all waits, and returns the final state.
    func act(in bench: Bench) async throws -> TransferState? {
        if self == .cancelled { return try await cancel(in: bench) }
        let process = bench.machine.spawn()
        defer { bench.machine.kill(process) }
        let engine = bench.engine(as: process)
        var options = DownloadOptions()
        // The retries of an earlier request would stay.
        options.retries = 18
        if self == .replacing {
            options.existingFile = .overwrite
            options.checksum = try await Self.digest(of: bench.bytes)
        }
        let destination: Destination =
            switch self {
            case .stream: .stream(path: "/pipe")
            case .unnamed, .whole: .file(directory: "/d", name: nil)
            default: try bench.destination
            }
        let handle = try await engine.download(from: bench.url, to: destination, options: options)
        try await bench.advancing { try await engine.run() }
        let state = try await handle.snapshot.state
        return state
    }

    private func cancel(in bench: Bench) async throws -> TransferState? {
        let engine = bench.engine()
        let id = try #require(try await bench.store.transfers(.all, after: nil, limit: 1).first?.id)
        do {
            _ = try await engine.cancel(id)
        } catch is StorageProblem {
            // The caller gets the error and tries again.
        } catch StoreError.notPossible {
            // It was already cancelled.
        }
        let state = try await engine.snapshot(of: id).state
        return state
    }

    /// Whether the fault may lead to this state.
    func meets(_ state: TransferState?, after fault: FileFault) -> Bool {
        switch (state, fault.problem.problem.disposition) {
        case (end, _): true
        // Nothing has changed since before the cancel.
        case (.failed, _) where self == .cancelled: true
        case (.waiting(.diskSpace), .condition): true
        case (.failed(let failure), .permanent): failure.code == fault.problem.problem.failure.code
        // Bytes that were written to a stream cannot be taken back.
        case (.failed(let failure), _) where self == .stream: failure.code != .internalFault
        default: false
        }
    }

    /// Whether the files on disk are right for a download in `state`.
    func isRight(_ bench: Bench, _ state: TransferState?) throws -> Bool {
        if self == .stream {
            let streamed = bench.files.streamed(to: "/pipe")
            return state == .completed ? streamed == bench.bytes : bench.bytes.starts(with: streamed)
        }
        let published = try bench.published
        if state == .completed { return published == bench.bytes }
        if published == bench.bytes { return self != .cancelled }
        return published == (self == .replacing ? Self.former : nil)
    }

    private static func digest(of bytes: [UInt8]) async throws -> Checksum {
        let files = MemoryPartFileSystem()
        let part = try await files.createPart(at: FilePlace(directory: "/", name: FileName(userGiven: "x")))
        try part.write(bytes, at: 0)
        return try await part.digest(.sha256, length: Int64(bytes.count))
    }
}

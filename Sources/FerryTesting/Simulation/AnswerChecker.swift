import FerryCore
internal import Synchronization

/// Checks the answers that calls save in files: each is whole, and nothing of any other is left.
struct AnswerChecker: Sendable {
    let files: MemoryPartFileSystem
    let service: SimulatedService
    let trace: SimulationTrace

    /// The name of the file for the answer to a call.
    static func name(_ number: Int) -> FileName {
        do {
            return try FileName(userGiven: "answer-\(number)")
        } catch {
            preconditionFailure("the name of an answer can be a name")
        }
    }

    /// The call whose answer has this name; `nil` for any other name.
    func call(named name: FileName) -> SimulatedCall? {
        guard let number = Int(name.rawValue.split(separator: "-").last ?? ""), Self.name(number) == name
        else {
            return nil
        }
        let calls = service.calls
        return calls.indices.contains(number) ? calls[number] : nil
    }

    /// Whether a file that was there before may be replaced by the answer to a call.
    func mayReplace(_ name: FileName) -> Bool { call(named: name)?.plan.saving?.replaces ?? false }

    /// Checks a file that has the name of an answer.
    func check(_ bytes: [UInt8], named name: FileName, of call: SimulatedCall) {
        let isAnswer = call.answers.contains { answer in
            (200..<300).contains(answer.response.status) && answer.isWhole && !answer.isToAnother
                && answer.response.body == bytes
        }
        if !isAnswer { trace.complain("answers: \(name) has \(bytes.count) bytes that are no whole answer") }
    }

    /// Whether something has the name of the answer to a call.
    func exists(_ call: SimulatedCall) -> Bool {
        files.disk.withLock { disk in
            disk.directories[SimulationScenario.directory]?.live[Self.name(call.number)] != nil
        }
    }

    /// Checks the file of a completed call.
    func checkCompletion(of id: TransferID, _ call: SimulatedCall, _ response: StoredResponse) {
        guard call.plan.saving != nil else { return }
        let name = Self.name(call.number)
        let (durable, live) = files.disk.withLock { disk in
            let directory = disk.directories[SimulationScenario.directory]
            return (directory?.durable[name], directory?.live[name])
        }
        let bytes = files.contents(of: name, in: SimulationScenario.directory)
        guard let bytes, durable == live, Int64(bytes.count) == response.savedLength else {
            return trace.complain("answers: \(id) is completed without its whole and durable file")
        }
        check(bytes, named: name, of: call)
    }

    /// Checks at the end that no unfinished file is left of an answer that was saved. A process that died, or a disk that failed,
    /// may have left one of another call. The next attempt at that call replaces it. Without a next attempt it stays.
    ///
    /// - Parameter inodes: files that a process has made which was taken for dead. It may have died before it could remove them.
    func checkEnd(_ rows: [Transfer], besides inodes: Set<UInt64>) {
        let live = files.disk.withLock { $0.directories[SimulationScenario.directory]?.live ?? [:] }
        let names = live.filter { !inodes.contains($0.value) }.keys
        let saved = Set(
            rows.filter { $0.request?.progress.response?.savedLength != nil && $0.state == .completed }.map(
                \.uuid
            )
        )
        for name in names.map(\.rawValue).sorted() where name.hasSuffix(".part") {
            guard let uuid = TransferUUID(String(name.dropLast(5))), saved.contains(uuid) else { continue }
            trace.complain("answers: \(name) is left")
        }
    }
}

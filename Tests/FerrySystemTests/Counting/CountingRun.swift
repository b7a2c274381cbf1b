import Foundation
import Glibc
import Testing

/// One run of the counting tests: the commands, their disturbances, and what must hold afterwards.
struct CountingRun {
    let sandbox: Sandbox
    let relay: Relay
    let ledger: EffectLedger

    /// The number of a request; -1 for a request of no plan.
    private func number(of request: ListedRequest) -> Int { CountingPlan.number(of: request.url) ?? -1 }

    // MARK: Commands

    /// Adds all requests. The command is killed once, and repeated.
    func addAll(_ plan: CountingPlan) async throws {
        for line in CountingPlan.Line.allCases {
            let slots = "\(line.slots)"
            let set = ["queue", "set", "\(line)", "--slots", slots, "--per-host", "0"]
            let order = line == .strict ? ["--order", "strict", "--on-failure", "hold"] : []
            try await sandbox.launch(set + order).outcome().expect(0)
        }
        let (file, list) = (sandbox.root + "/upload", sandbox.root + "/list")
        try CountingPlan.upload.bytes.write(to: URL(fileURLWithPath: file))
        try Data(plan.list(origin: relay.url(""), file: file).utf8).write(to: URL(fileURLWithPath: list))
        var random = SeededRandom(seed: SeededRandom.seed &+ 1)
        let moment = Int.random(in: 0..<(plan.count * 300), using: &random)
        let killed = try sandbox.launch(["send", "-i", list])
        try await Deadline.wait(for: "\(moment) bytes") {
            killed.hasEnded || (killed.bytesWritten ?? 0) >= moment
        }
        killed.send(SIGKILL)
        let acknowledged = try await killed.outcome().output.split(separator: "\n").compactMap { Int($0) }
        let stored = Set(try await sandbox.requests().map(\.id))
        #expect(stored.isSuperset(of: acknowledged), "an acknowledged request is lost")
        let again = try await sandbox.launch(["send", "-i", list]).outcome()
        again.expect(0)
        #expect(again.output == (1...plan.count).map { "\($0)\n" }.joined())
    }

    /// Lets `ferry run` send the requests. Kills it and cuts the network at random moments, and starts it again until it ends
    /// by itself.
    ///
    /// - Returns: how often each was done: at least as often as asked for, unless the requests end too early.
    func disturb(kills: Int, cuts: Int, of plan: CountingPlan) async throws -> (kills: Int, cuts: Int) {
        var random = SeededRandom(seed: SeededRandom.seed &+ 2)
        var done = (kills: 0, cuts: 0)
        var process = try launch()
        while !process.hasEnded {
            let missing = (kills: max(0, kills - done.kills), cuts: max(0, cuts - done.cuts))
            let isEnough = missing == (0, 0)
            let wanted = isEnough ? (kills: kills, cuts: cuts) : missing
            let usual = plan.count * 3 / 2 / (kills + cuts)
            // What is missing fits into the requests that are left.
            let most =
                isEnough ? usual : min(usual, (plan.count - ledger.arrivals) / (wanted.kills + wanted.cuts))
            let next = ledger.arrivals + Int.random(in: 1...max(2, most), using: &random)
            let current = process
            try await Deadline.wait(for: "\(next) requests") {
                current.hasEnded || ledger.arrivals >= next
            }
            guard !current.hasEnded else { break }
            if Int.random(in: 0..<(wanted.kills + wanted.cuts), using: &random) < wanted.kills {
                process.send(SIGKILL)
                if try await process.outcome().exit == .signal(SIGKILL) { done.kills += 1 }
                process = try launch()
            } else {
                try await cut(Int.random(in: 0...4, using: &random), process)
                done.cuts += 1
            }
        }
        // It ends with 33 when it was the one to meet an unknown outcome, and with 1 if there were other failures too.
        let exit = try await process.outcome().exit
        #expect([.status(0), .status(1), .status(33)].contains(exit), "\(exit)")
        return done
    }

    private func launch() throws -> ChildProcess { try sandbox.launch(["run", "-q", "-j", "8"]) }

    /// Cuts the network until a number of connections were refused.
    private func cut(_ refusals: Int, _ process: ChildProcess) async throws {
        let enough = relay.refused + refusals
        relay.cut()
        defer { relay.mend() }
        try await Deadline.wait(for: "\(refusals) refused connections") {
            process.hasEnded || relay.refused >= enough
        }
    }

    /// Says of each request of unknown outcome what its server knows, and sends those that did not arrive.
    func resolve(_ unknown: [ListedRequest]) async throws {
        for hasArrived in [true, false] {
            let some = unknown.filter { (ledger.effects(of: number(of: $0)) > 0) == hasArrived }
            guard !some.isEmpty else { continue }
            if !hasArrived { ledger.allowAgain(some.map(number)) }
            let word = hasArrived ? "--sent" : "--not-sent"
            try await sandbox.launch(["resolve", word] + some.map { "\($0.id)" }).outcome().expect(0)
        }
        try await sandbox.ferry("run", "-q").expect(0)
    }

    // MARK: Checks

    /// Checks each request against what the server knows.
    ///
    /// - Returns: those of unknown outcome.
    func checkEnds(of plan: CountingPlan) async throws -> [ListedRequest] {
        let all = try await sandbox.requests()
        #expect(all.map(number).sorted() == Array(0..<plan.count))
        var (wrong, unknown): ([String], [ListedRequest]) = ([], [])
        for request in all {
            let effects = ledger.effects(of: number(of: request))
            switch CountingPlan.line(of: number(of: request)) {
            case _ where request.state == "completed":
                if effects != 1 || request.status != 201 { wrong.append("\(effects) effects: \(request)") }
            case .keyless where request.isUnknown:
                if effects > 1 { wrong.append("\(effects) effects: \(request)") }
                unknown.append(request)
            case .keyed, .keyless, .strict: wrong.append("\(effects) effects: \(request)")
            }
        }
        #expect(ledger.order == ledger.order.sorted(), "a strict queue was out of order")
        #expect(wrong.isEmpty, "seed \(SeededRandom.seed): \(wrong.prefix(20).joined(separator: "\n"))")
        return unknown
    }

    /// Checks that every request took effect exactly once, and that responses are the server's.
    ///
    /// - Parameter unknown: those of which a person said what became of them, so that their responses may be missing.
    func checkAllArrived(_ plan: CountingPlan, resolved unknown: [ListedRequest]) async throws {
        let all = try await sandbox.requests()
        #expect(all.count == plan.count && all.allSatisfy { $0.state == "completed" })
        let wrong = (0..<plan.count).filter { ledger.effects(of: $0) != 1 }
        #expect(wrong.isEmpty, "seed \(SeededRandom.seed): not one effect: \(wrong.prefix(20))")
        var random = SeededRandom(seed: SeededRandom.seed &+ 3)
        let resolved = Set(unknown.map(\.id))
        let answered = all.filter { !resolved.contains($0.id) }
        for request in answered.shuffled(using: &random).prefix(20) {
            let body = try await sandbox.ferry("show", "--body", "\(request.id)")
            #expect(body.output == CountingServer.answer(to: number(of: request)))
        }
    }
}

import Foundation

/// What came of one passage.
struct Passage: Sendable {
    /// The call at which the process was faultedCall; `nil` when it ended before.
    var faultedCall: String?
    /// How many calls it had made.
    var calls: Int
    /// What it ended with.
    var status: Int32
    /// What was wrong, each with where and how.
    var wrong: [String]
}

extension CrashFlow {
    /// Goes through the flow once, and is killed at that point; `nil` is a passage without harm.
    func pass(point: Int?, _ fault: FaultInjection.Fault = .killBefore) async throws -> Passage {
        try await pass(FaultInjection(point: point, fault: fault))
    }

    /// Goes through the flow once, on that injection.
    func pass(_ injection: FaultInjection) async throws -> Passage {
        var passage: Passage?
        try await sail { voyage in
            var injection = injection
            if meanwhile != nil { injection.armedBy = voyage.arming }
            let (process, log) = try voyage.sandbox.launch(line(voyage), injecting: injection)
            if let meanwhile { try await meanwhile(voyage, process) }
            let outcome = try await process.outcome(within: .seconds(60))
            let faultedCall = log.faultedCall
            voyage.acknowledge(outcome)
            if case .error = injection.fault {
                voyage.judge(outcome)
            } else {
                voyage.check(
                    (outcome.exit == .signal(SIGKILL)) == (faultedCall != nil),
                    "faulted at \(faultedCall ?? "nothing"), and ended with \(outcome.status)"
                )
            }
            try await goOn(voyage)
            let moment = "\(name), \(injection.fault) \(faultedCall ?? "nothing")"
            passage = Passage(
                faultedCall: faultedCall,
                calls: log.calls.count,
                status: outcome.status,
                wrong: voyage.wrong.map { "\(moment): \($0)" }
            )
        }
        guard let passage else { throw Overdue(what: name, after: .zero) }
        return passage
    }

    /// Looks at what is left, and brings the flow to its end.
    func goOn(_ voyage: Voyage) async throws {
        voyage.checkFiles("afterwards", mayBeFormer: replaces)
        _ = try await voyage.rows("afterwards")
        try await after(voyage)
        voyage.checkFiles("in the end", mayBeFormer: false)
        let names = try voyage.sandbox.fileNames()
        voyage.check(names == (leaves + Voyage.bystanders).sorted(), "in the end: \(names)")
        let rows = try await voyage.rows("in the end")
        let own = rows.count { !voyage.former.contains($0.id) }
        voyage.check(self.rows.contains(own), "in the end: \(own) rows")
        try voyage.checkData("in the end")
    }

    /// Runs `body` with everything that the flow starts from.
    func sail(_ body: (Voyage) async throws -> Void) async throws {
        let firstAnswer = firstAnswer
        try await ScriptedServer.run { request in
            var reply = ScriptedReply.serving(Voyage.content, tag: "\"a\"", to: request)
            if let firstAnswer, request.ordinal == 1 {
                reply.cut = .init(bytes: Voyage.breakAt, then: firstAnswer)
            }
            return reply
        } _: { server in
            try await Sandbox.open { sandbox in
                let voyage = Voyage(sandbox, server)
                for name in Voyage.bystanders {
                    try Content(name).bytes.write(to: URL(fileURLWithPath: sandbox.path(of: name)))
                }
                if replaces { try Voyage.replaced.bytes.write(to: URL(fileURLWithPath: voyage.final)) }
                if store == .present { try await voyage.addFormer() }
                try await before(voyage)
                try await body(voyage)
            }
        }
    }
}

import Foundation

/// The result of one ``CrashRun``.
struct CrashRunResult: Sendable {
    /// The call at which the fault was injected; `nil` if the process never reached it.
    var faultedCall: String?
    /// How many calls the process made.
    var calls: Int
    /// The exit status of the process.
    var status: Int32
    /// The violations, each with its moment.
    var wrong: [String]
}

extension CrashFlow {
    /// Runs the flow once with a fault at call `point`, or without a fault if `point` is `nil`.
    func run(at point: Int?, _ fault: FaultInjection.Fault = .killBefore) async throws -> CrashRunResult {
        try await run(injecting: FaultInjection(point: point, fault: fault))
    }

    /// Runs the flow once with this fault.
    func run(injecting injection: FaultInjection) async throws -> CrashRunResult {
        var result: CrashRunResult?
        try await withRun { run in
            var injection = injection
            if meanwhile != nil { injection.armedBy = run.arming }
            let (process, log) = try run.sandbox.launch(line(run), injecting: injection)
            if let meanwhile { try await meanwhile(run, process) }
            let outcome = try await process.outcome()
            let faultedCall = log.faultedCall
            run.acknowledge(outcome)
            if case .error = injection.fault {
                run.judge(outcome)
            } else {
                run.check(
                    (outcome.exit == .signal(SIGKILL)) == (faultedCall != nil),
                    "faulted at \(faultedCall ?? "nothing"), and ended with \(outcome.status)"
                )
            }
            try await finish(run)
            let moment = "\(name), \(injection.fault) \(faultedCall ?? "nothing")"
            result = CrashRunResult(
                faultedCall: faultedCall,
                calls: log.calls.count,
                status: outcome.status,
                wrong: run.wrong.map { "\(moment): \($0)" }
            )
        }
        guard let result else { throw Overdue(what: name, after: .zero) }
        return result
    }

    /// Checks what the fault left, and completes the flow.
    func finish(_ run: CrashRun) async throws {
        if adopts {
            run.checkAdopted("afterwards")
        } else {
            run.checkFiles("afterwards", mayBeFormer: replaces)
        }
        _ = try await run.rows("afterwards")
        try await after(run)
        run.checkFiles("in the end", mayBeFormer: false)
        let names = try run.sandbox.fileNames()
        run.check(names == (leaves + CrashRun.bystanders).sorted(), "in the end: \(names)")
        let rows = try await run.rows("in the end")
        let own = rows.count { !run.former.contains($0.id) }
        run.check(self.rows.contains(own), "in the end: \(own) rows")
        try run.checkData("in the end", besides: makesKey ? ["seal.key"] : [])
    }

    /// Runs `body` with the server, files and store that the flow starts from.
    func withRun(_ body: (CrashRun) async throws -> Void) async throws {
        let inbox = RequestInbox()
        let (firstAnswer, content) = (firstAnswer, content)
        let uploads = UploadHost(stallingAt: firstAnswer == nil ? nil : 2)
        let server = try ScriptedServer { connection, request in
            if let ending = uploads.take(request, from: connection) { return ending }
            if request.method != "GET" { return CrashRun.take(request, from: connection, into: inbox) }
            if let manifest = CrashRun.manifest(at: request.path, ordinal: request.ordinal) {
                return connection.write(ScriptedReply(body: Array(manifest.utf8)), to: request)
                    ? .stays : .closes
            }
            let isFormer = request.path == CrashRun.formerPath
            var reply = ScriptedReply.serving(
                isFormer ? CrashRun.replaced : content,
                tag: isFormer ? "\"former\"" : "\"a\"",
                to: request
            )
            if let firstAnswer, request.ordinal == 1 {
                reply.cut = .init(bytes: CrashRun.breakAt, then: firstAnswer)
            }
            return connection.write(reply, to: request) ? .stays : .closes
        }
        defer { server.stop() }
        try await Sandbox.open { sandbox in
            let run = CrashRun(sandbox, server, inbox, uploads, serving: content)
            for name in CrashRun.bystanders {
                try Content(name).bytes.write(to: URL(fileURLWithPath: sandbox.path(of: name)))
            }
            if replaces { try CrashRun.replaced.bytes.write(to: URL(fileURLWithPath: run.final)) }
            if store == .present { try await run.addFormer() }
            try await before(run)
            try await body(run)
        }
    }
}

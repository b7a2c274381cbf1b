import Foundation
import Testing

/// Lets one system call of the real binary fail: any call on its files or its store, even one that only looks.
@Suite(
    "Failures of the disk",
    .limitedParallelism,
    .enabled(if: FaultInjection.isAllowed, "processes cannot be traced here"),
    .enabled(if: Tool.python.isInstalled, "python3 is not installed")
)
struct StorageFaultTests {
    /// The errors that the kernel reports.
    static let errors = [ENOSPC, EDQUOT, EIO, EROFS, EACCES, EMFILE]

    /// How many runs each flow makes: a few in the suite, and all of them with scripts/crash --faults.
    static let sampleSize = SampleSize(variable: "FERRY_FAULTS", otherwise: 2)

    @Test(
        "a failed call is reported in words and does no harm, and the next command completes the work",
        arguments: CrashFlow.chosen
    )
    func failsAtSystemCalls(_ flow: CrashFlow) async throws {
        let healthy = try await flow.run(injecting: FaultInjection(fault: .error(0), countsLooks: true))
        #expect(healthy.wrong.isEmpty, "without a fault:  \(healthy.wrong.joined(separator: "\n"))")
        try #require(healthy.calls > 10, "\(flow.name) makes almost no calls")
        var tried = 0
        var failures = 0
        var statuses: [Int32: Int] = [:]
        var wrong: [String] = []
        for (point, error) in Self.faults(calls: healthy.calls) where !Self.sampleSize.isReached(by: failures)
        {
            let result = try await flow.run(
                injecting: FaultInjection(point: point, fault: .error(error), countsLooks: true)
            )
            tried += 1
            failures += result.faultedCall == nil ? 0 : 1
            statuses[result.status, default: 0] += 1
            wrong += result.wrong
        }
        let ends = statuses.sorted { $0.key < $1.key }.map { "\($0.value) × \($0.key)" }
        print(
            "disk failures: \(flow.name): \(healthy.calls) calls, \(tried) runs, \(failures) failures,"
                + " statuses \(ends.joined(separator: ", ")), \(wrong.count) violations"
                + " (seed \(SeededRandom.seed))"
        )
        #expect(wrong.isEmpty, "seed \(SeededRandom.seed):\n\(wrong.joined(separator: "\n"))")
        #expect(failures * 2 >= tried || Self.sampleSize.isReached(by: failures))
    }

    /// Every call with every error. For a sample they are in random order: a call that its run does not make does not count.
    static func faults(calls: Int) -> [(point: Int, error: Int32)] {
        sampleSize.order(of: (1...calls).flatMap { point in errors.map { (point, $0) } })
    }

    @Test(
        "bytes whose sync failed are fetched again, and not synced a second time",
        arguments: [EIO, ENOSPC],
        ["download", "download of a short file", "download of a short file to a given name"]
    )
    func failedSync(_ error: Int32, of name: String) async throws {
        let flow = try #require(CrashFlow.all.first { $0.name == name })
        try await flow.withRun { run in
            let injection = FaultInjection(
                point: 1,
                fault: .error(error),
                call: "fdatasync",
                paths: [run.sandbox.workingDirectory]
            )
            let (process, log) = try run.sandbox.launch(flow.line(run), injecting: injection)
            let outcome = try await process.outcome()
            #expect(log.faultedCall != nil)
            if error == EIO {
                outcome.expect(0)
            } else {
                outcome.expect(7)
                #expect(outcome.errors.contains("full"), "\(outcome.errors)")
            }
            try await flow.finish(run)
            #expect(run.wrong.isEmpty, "\(run.wrong.joined(separator: "\n"))")
            // No byte of the first answer was durable when the sync failed.
            let starts = run.server.requests.map { $0.rangeStart ?? 0 }
            #expect(starts == [0, 0], "the server was asked from \(starts)")
        }
    }

    @Test(
        "a list that cannot be read for a moment is not taken for a missing one",
        arguments: 1...6
    )
    func statusOfTheList(_ occasion: Int) async throws {
        let flow = try #require(CrashFlow.all.first { $0.name == "add" })
        try await flow.withRun { run in
            let database = run.sandbox.data + "/ferry.sqlite"
            let injection = FaultInjection(
                point: occasion,
                fault: .error(EIO),
                countsLooks: true,
                call: "newfstatat",
                paths: [database]
            )
            let (process, log) = try run.sandbox.launch(flow.line(run), injecting: injection)
            let outcome = try await process.outcome()
            #expect(log.faultedCall != nil)
            run.judge(outcome)
            run.acknowledge(outcome)
            try await flow.finish(run)
            #expect(run.wrong.isEmpty, "\(run.wrong.joined(separator: "\n"))")
        }
    }

    @Test("a file that SQLite could not remove beside a new list is removed")
    func leftoversOfABirth() async throws {
        let flow = try #require(CrashFlow.all.first { $0.name == "the first store" })
        try await flow.withRun { run in
            let log = run.sandbox.data + "/ferry.sqlite.new-wal"
            // Ferry makes the first such call itself, before the file exists.
            let injection = FaultInjection(point: 2, fault: .error(EMFILE), call: "unlink", paths: [log])
            let (process, reached) = try run.sandbox.launch(flow.line(run), injecting: injection)
            try await process.outcome().expect(0)
            #expect(reached.faultedCall != nil)
            try await flow.finish(run)
            #expect(run.wrong.isEmpty, "\(run.wrong.joined(separator: "\n"))")
        }
    }
}

import Ferry
import FerryFrontend
import Glibc
import Testing

@testable import FerryCLI

@Suite("What is told when the time of --max-time is over")
struct EndOfTimeTests {
    /// What is printed about a download that is stopped.
    private func told(_ appearance: Appearance, _ status: FerryFrontend.ExitStatus) async throws -> String {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        let target = Terminal(descriptor: ends[1])
        let console = Console(appearance, output: target, errors: target)
        var actions = EndActions()
        actions.format = try WriteOut(parsing: "%{id} %{exitcode}\\n")
        var ledger = RunLedger(order: [], tellingInterval: .seconds(5))
        for state in [.active, .paused] as [TransferState] {
            _ = ledger.take(Sample.update(try Sample.transfer(state: state)), at: Sample.now)
        }
        EndWork(actions, console).noteEndOfTime(ledger, status: status)
        await console.finish()
        // So that the read ends also if nothing was printed.
        _ = target.write(".")
        var buffer = [UInt8](repeating: 0, count: 4_096)
        let count = read(ends[0], &buffer, buffer.count)
        return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
    }

    @Test("-w prints a line for what is stopped, and --quiet says why")
    func quiet() async throws {
        let text = try await told(Appearance(quiet: true), .unfinished)
        #expect(text.contains("3 7\n"), "\(text)")
        #expect(text.contains("ferry: Stopped, because the time of --max-time is over.\n"), "\(text)")
    }

    @Test("without --quiet the notice was enough, and a run that has ended in time was not stopped")
    func notice() async throws {
        #expect(try await told(Appearance(), .unfinished) == "3 7\n.")
        #expect(try await told(Appearance(quiet: true), .done) == "3 7\n.")
    }
}

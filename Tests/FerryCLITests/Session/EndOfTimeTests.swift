import Ferry
import FerryFrontend
import Testing

@testable import FerryCLI

@Suite("What is told when a run ends before its transfers")
struct EndOfTimeTests {
    /// What is printed about a download that is stopped.
    private func told(
        _ appearance: Appearance,
        _ status: FerryFrontend.ExitStatus,
        _ kind: ForegroundRun.Kind = .transfers(count: 1),
        isTimeOver: Bool = true
    ) async throws -> String {
        let pieces = try OutputPieces()
        defer { pieces.close() }
        let target = Terminal(descriptor: pieces.writer)
        let console = Console(appearance, output: target, errors: target)
        var actions = EndActions()
        actions.format = WriteOut(parsing: "%{id} %{exitcode}\\n")
        var ledger = RunLedger(order: [], tellingInterval: .seconds(5))
        for state in [.active, .paused] as [TransferState] {
            _ = ledger.take(Sample.update(try Sample.transfer(state: state)), at: Sample.now)
        }
        EndWork(actions, console).noteEnd(ledger, kind, isTimeOver: isTimeOver, status: status)
        await console.finish()
        return pieces.read().joined()
    }

    @Test("-w prints a line for what is stopped, and --quiet says why")
    func quiet() async throws {
        let text = try await told(Appearance(quiet: true), .unfinished)
        #expect(text.contains("3 7\n"), "\(text)")
        #expect(text.contains("ferry: Stopped, because the time of --max-time is over.\n"), "\(text)")
        #expect(text.contains("`ferry run` resumes them."), "\(text)")
    }

    @Test("without --quiet the notice was enough, and a run that has ended in time was not stopped")
    func notice() async throws {
        #expect(try await told(Appearance(), .unfinished) == "3 7\n")
        #expect(try await told(Appearance(quiet: true), .done) == "3 7\n")
    }

    @Test("a signal or a full disk leaves the same line, and no error message")
    func otherEnds() async throws {
        for appearance in [Appearance(), Appearance(quiet: true)] {
            #expect(try await told(appearance, .unfinished, isTimeOver: false) == "3 7\n")
        }
    }

    @Test("a transfer of the queue ends later; only the time of the command ends it for -w")
    func queue() async throws {
        #expect(try await told(Appearance(), .unfinished, .queue, isTimeOver: false).isEmpty)
        #expect(try await told(Appearance(), .unfinished, .queue) == "3 7\n")
    }
}

import Ferry
import Testing

@testable import FerryCLI
@testable import FerryFrontend

@Suite("What is told of a wait that may be long")
struct WaitAdviceTests {
    /// A wait for the next attempt.
    private func wait(
        afterAttempt attempt: Int = 2,
        retries: Int = 19,
        _ code: TransferFailure.Code = .connectionRefused
    ) throws -> Announcement {
        var options = DownloadOptions()
        options.retries = retries
        let state = TransferState.waiting(.retry(at: Sample.now.advanced(by: .seconds(4))))
        var transfer = try Sample.transfer(state: state, options: options)
        transfer.attempts = attempt
        transfer.latestFailure = TransferFailure(code, "example.org:443 refuses the connection.")
        return Announcement(transfer, transfer.recordedProgress, .state(took: nil))
    }

    @Test("of a missing network, what is safe and what ends the wait is told once in a run")
    func networkIsToldOnce() throws {
        var advice = WaitAdvice()
        let transfer = try Sample.transfer(state: .waiting(.network))
        var away = Announcement(transfer, transfer.recordedProgress, .progress)
        away.transfer.latestFailure = TransferFailure(.networkUnreachable, "There is no route.")
        #expect(advice.note(away, command: .getting) == nil, "no change of its state")
        away.news = .state(took: nil)
        var replaced = away
        replaced.transfer.latestFailure = TransferFailure(.connectionLost, "It was idle.")
        #expect(advice.note(replaced, command: .getting) == nil, "only the connection is gone")
        let line =
            "Check whether this machine is online. Ferry resumes by itself when there is a route again, and nothing is "
            + "lost meanwhile. Ctrl-C stops it and keeps the transfer."
        #expect(advice.note(away, command: .getting) == line)
        #expect(advice.note(away, command: .getting) == nil)
        #expect(advice.note(try wait(), command: .getting) != nil, "a server that refuses is another matter")
    }

    @Test("of a refusal, what ends the wait is told once, after the second attempt")
    func isToldOnce() throws {
        var advice = WaitAdvice()
        #expect(advice.note(try wait(afterAttempt: 1), command: .getting) == nil)
        let line =
            "example.org:443 refuses the connection. No server seems to listen there. Ferry tries up to 20 times, with "
            + "pauses of up to 5 minutes. Ctrl-C stops it and keeps the transfer; `ferry get --retries N` or "
            + "`--max-time SECONDS` ends it sooner."
        #expect(advice.note(try wait(), command: .getting) == line)
        #expect(advice.note(try wait(afterAttempt: 3), command: .getting) == nil)
    }

    @Test("the options are those of the command, or of `ferry edit` where it has none")
    func namesTheCommand() throws {
        for (command, said) in [
            (.adopting, "`ferry adopt --retries N` or `--max-time SECONDS` ends"),
            (.gettingToAdopt, "`ferry get --adopt --retries N` or `--max-time SECONDS` ends"),
            (.mirroring, "`ferry mirror --retries N` ends"), (nil, "`ferry edit 3 --retries N` ends"),
        ] as [(RepeatedCommand?, String)] {
            var advice = WaitAdvice()
            let line = advice.note(try wait(), command: command)
            #expect(line?.contains(said) == true, "\(line ?? "nothing")")
        }
        // The line of `ferry put` asks for the same upload again, and that of `ferry send` for another request.
        for (isPut, command, said) in [
            (true, .getting, "`ferry put --retries N` ends"), (true, nil, "`ferry edit 3 --retries N` ends"),
            (false, .getting, "`ferry edit 3 --retries N` ends"),
        ] as [(Bool, RepeatedCommand?, String)] {
            var (upload, advice) = (try wait(), WaitAdvice())
            var transfer = try Sample.put(sent: 0, of: 9)
            if case .request(var work) = transfer.work {
                work.specification.replacesUnfinished = isPut
                transfer.work = .request(work)
            }
            (transfer.state, transfer.attempts) = (upload.transfer.state, 2)
            transfer.latestFailure = upload.transfer.latestFailure
            upload.transfer = transfer
            let line = advice.note(upload, command: command)
            #expect(line?.contains(said) == true, "\(line ?? "nothing")")
        }
    }

    @Test("nothing is told of another failure, of a wait that is short, or of anything but a wait")
    func saysNothing() throws {
        var advice = WaitAdvice()
        #expect(advice.note(try wait(.timeout), command: .getting) == nil)
        #expect(advice.note(try wait(retries: 5), command: .getting) == nil)
        var progress = try wait()
        progress.news = .progress
        #expect(advice.note(progress, command: .getting) == nil)
        var active = try wait()
        active.transfer.state = .active
        #expect(advice.note(active, command: .getting) == nil)
        #expect(advice.note(try wait(), command: .getting) != nil, "none of these counts")
    }
}

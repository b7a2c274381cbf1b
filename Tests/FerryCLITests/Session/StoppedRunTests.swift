import Ferry
import FerryCore
import Glibc
import HTTPTypes
import Testing

@testable import FerryCLI

@Suite("What a stopped command says of its transfers")
struct StoppedRunTests {
    private static let id = TransferID(rawValue: 3)

    private static func request(in state: TransferState, sent: Bool) throws -> Transfer {
        let url = try HTTPURL(parsing: "https://example.org/orders")
        let new = NewTransfer(try RequestSpecification(method: .post, url: url))
        var transfer = Transfer(id: id, adding: new, at: Sample.now)
        if sent {
            var progress = RequestProgress()
            progress.sent = Sample.now
            transfer.work.progress = .request(progress)
        }
        transfer.state = state
        return transfer
    }

    @Test(arguments: [false, true])
    func aPausedRequestIsSentByResumingIt(sent: Bool) throws {
        let transfer = try Self.request(in: .paused, sent: sent)
        let text = ForegroundRun.keptText(transfer, .transfers(count: 1), process: nil)
        let continuation = sent ? "sends it again" : "sends it"
        #expect(
            text
                == "Stopped POST https://example.org/orders. `ferry resume 3` \(continuation); `ferry run` leaves it paused."
        )
    }

    /// The queue has it as well.
    @Test func aQueuedRequestIsSentByTheQueue() throws {
        let transfer = try Self.request(in: .queued, sent: false)
        let text = ForegroundRun.keptText(transfer, .transfers(count: 1), process: nil)
        #expect(text.contains("`ferry run` sends it.") && !text.contains("paused"), "\(text)")
        let rest = ForegroundRun.keptText(transfer, .queue, process: nil)
        #expect(rest == "Stopped POST https://example.org/orders. `ferry run` sends it.")
    }

    /// `timeout` and a closed terminal press no key.
    @Test func onlyAPersonIsToldOfASecondCtrlC() throws {
        let named = ForegroundRun.Kind.transfers(count: 1)
        #expect(ForegroundRun.stoppingText(by: SIGINT, named).contains("Press Ctrl-C again"))
        #expect(ForegroundRun.stoppingText(by: SIGINT, .service) == "Stopping.")
        let request = try Self.request(in: .active, sent: true)
        let text = ForegroundRun.awaitedText(request, named, stoppedBy: SIGINT)
        #expect(text.contains("Press Ctrl-C again to quit without it"), "\(text)")
        for signal in [SIGTERM, SIGHUP, nil] as [Int32?] {
            let text = ForegroundRun.awaitedText(request, named, stoppedBy: signal)
            #expect(text.contains("If none comes in time, it is unknown"), "\(text)")
            guard let signal else { continue }
            #expect(ForegroundRun.stoppingText(by: signal, named) == "Stopping.")
        }
    }

    /// A reboot or a closed terminal is no wish of a person.
    @Test func whatNoPersonStoppedIsResumedByTheQueue() throws {
        var transfer = try Sample.transfer(state: .queued, received: 1_288_490_189, length: 4 << 30)
        func text() -> String {
            ForegroundRun.keptText(transfer, .transfers(count: 1), isReleased: true, process: nil)
        }
        let beginning = "Stopped image.iso at 1.2 GiB of 4.0 GiB. Resume with "
        #expect(text() == "\(beginning)`ferry run` or by repeating the command.")
        transfer.state = .waiting(.network)
        #expect(text() == "\(beginning)`ferry run` or by repeating the command.")
        // Another command has paused it.
        transfer.state = .paused
        #expect(text() == "\(beginning)`ferry resume 3` or by repeating the command.")
        let request = try Self.request(in: .queued, sent: false)
        let sending = ForegroundRun.keptText(
            request,
            .transfers(count: 1),
            isReleased: true,
            process: nil
        )
        #expect(sending == "Stopped POST https://example.org/orders. `ferry run` sends it.")
    }

    /// The same command line would send other requests.
    @Test func manyRequestsAreNotResumedByRepeatingTheCommand() {
        func text(_ kind: ForegroundRun.Kind, isResumedByRepeating: Bool) -> String {
            ForegroundRun.keptText(
                ofMany: 6,
                keeping: 2048,
                kind,
                isResumedByRepeating: isResumedByRepeating,
                resuming: " -j 2"
            )
        }
        let beginning = "Stopped. 6 transfers are unfinished, 2.0 KiB kept. Resume with "
        let named = ForegroundRun.Kind.transfers(count: 1)
        #expect(text(named, isResumedByRepeating: false) == "\(beginning)`ferry resume -j 2`.")
        #expect(
            text(named, isResumedByRepeating: true)
                == "\(beginning)`ferry resume -j 2` or by repeating the command."
        )
        #expect(text(.queue, isResumedByRepeating: true) == "\(beginning)`ferry run`.")
        let released = ForegroundRun.keptText(
            ofMany: 6,
            keeping: 2048,
            named,
            isReleased: true,
            isResumedByRepeating: true,
            resuming: " -j 2"
        )
        #expect(released == "\(beginning)`ferry run -j 2` or by repeating the command.")
    }
}

import FerryCore
import FerryTesting
import HTTPTypes
import Testing

/// The answer to a request is recorded with what was sent. So what was sent does not change afterwards (I8).
@Suite("Edits of a request that was sent")
struct SentRequestEditTests {
    private static let now = Instant(seconds: 1_800_000_000)
    private static let address = "https://api.example/orders?Signature=a&Expires=1"

    private func request(
        _ method: HTTPRequest.Method,
        key: Bool,
        sent: Bool,
        in state: TransferState
    ) throws -> Transfer {
        let request = try RequestSpecification(
            method: method,
            url: HTTPURL(parsing: Self.address),
            key: key ? IdempotencyKey(value: "\"1\"") : nil
        )
        var transfer = Transfer(id: TransferID(rawValue: 7), adding: NewTransfer(request), at: Self.now)
        var progress = RequestProgress()
        progress.sent = sent ? Self.now : nil
        transfer.work.progress = .request(progress)
        transfer.state = state
        return transfer
    }

    /// The edits that make another request of it, and those that only renew its proof of who sends it.
    private func edits() throws -> (others: [TransferEdit], renewals: [TransferEdit]) {
        var others = Array(repeating: TransferEdit(), count: 4)
        others[0].url = try HTTPURL(parsing: "https://api.example/other?Signature=a&Expires=1")
        others[1].url = try HTTPURL(parsing: "https://other.example/orders")
        others[2].url = try HTTPURL(parsing: "http://api.example/orders?Signature=a&Expires=1")
        others[3].headers = [.init(name: "X-Account", value: "2")]
        var renewals = Array(repeating: TransferEdit(), count: 2)
        renewals[0].credentials = .bearer(token: "fresh")
        renewals[1].url = try HTTPURL(parsing: "https://api.example/orders?Signature=b&Expires=2")
        return (others, renewals)
    }

    private func isTaken(_ edit: TransferEdit, by transfer: Transfer) -> Bool {
        var edited = transfer
        do throws(StoreError) {
            try edited.apply(edit, at: Self.now)
            return true
        } catch {
            #expect(edited == transfer, "a refused edit changes nothing")
            return false
        }
    }

    static let states: [TransferState] = [
        .queued, .active, .waiting(.network), .waiting(.retry(at: now)), .paused,
        .failed(TransferFailure(.attemptsExhausted, "Gave up.")),
    ]

    @Test(arguments: states, [true, false])
    func whatWasSentStaysAsItIs(_ state: TransferState, sent: Bool) throws {
        let (others, renewals) = try edits()
        for (method, key) in [(HTTPRequest.Method.post, false), (.post, true), (.put, false)] {
            let transfer = try request(method, key: key, sent: sent, in: state)
            let isOnItsWay = sent || state == .active
            for edit in others {
                #expect(isTaken(edit, by: transfer) != isOnItsWay, "\(method) \(key): \(edit)")
            }
            for edit in renewals {
                let mayBeRepeated = key || method == .put
                #expect(isTaken(edit, by: transfer) == (mayBeRepeated || !isOnItsWay), "\(method) \(edit)")
            }
        }
    }

    @Test func whatIsNotPartOfTheRequestMayBeChanged() throws {
        var edit = TransferEdit()
        edit.url = try HTTPURL(parsing: Self.address)
        edit.headers = []
        edit.queue = "night"
        edit.priority = 2
        edit.retries = 3
        for key in [true, false] {
            #expect(isTaken(edit, by: try request(.post, key: key, sent: true, in: .active)))
        }
    }

    @Test func aRefusalSaysWhatToDo() throws {
        var move = TransferEdit()
        move.url = try HTTPURL(parsing: "https://other.example/orders")
        let failed = TransferState.failed(TransferFailure(.attemptsExhausted, "Gave up."))
        let samples: [(sent: Bool, state: TransferState, remedies: [Remedy])] = [
            (false, .active, [.pause, .callAgain]), (true, .active, [.cancel, .sendAgain]),
            (true, .waiting(.network), [.cancel, .sendAgain]), (true, failed, [.remove, .sendAgain]),
        ]
        for sample in samples {
            var transfer = try request(.post, key: true, sent: sample.sent, in: sample.state)
            let error = #expect(throws: StoreError.self) { try transfer.apply(move, at: Self.now) }
            #expect(error?.remedies == sample.remedies)
        }
    }
}

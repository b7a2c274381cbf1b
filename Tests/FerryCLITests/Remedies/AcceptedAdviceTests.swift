import Ferry
import FerryCore
import HTTPTypes
import Testing

@testable import FerryCLI
@testable import FerryFrontend

/// A command that a hint names is accepted in the state that the hint is about.
@Suite("Advice is accepted")
struct AcceptedAdviceTests {
    private static let now = Sample.now
    private static let id = TransferID(rawValue: 42)
    private static let url = "https://example.org/image.iso?Signature=a&Expires=1"

    /// One transfer of each kind of work, and what is known of it.
    private static let works = [
        "download", "GET", "PUT", "POST with a key", "POST", "sent PUT", "sent POST with a key", "sent POST",
    ]

    private static func transfer(_ name: String, in state: TransferState) throws -> Transfer {
        let url = try HTTPURL(parsing: Self.url)
        let new: NewTransfer
        if name == "download" {
            let destination = Destination.file(directory: "/data", name: nil)
            new = NewTransfer(DownloadSpecification(url: url, destination: destination))
        } else {
            let method: HTTPRequest.Method =
                name.contains("POST") ? .post : name.contains("PUT") ? .put : .get
            let key = name.contains("key") ? IdempotencyKey(value: "\"1\"") : nil
            new = NewTransfer(try RequestSpecification(method: method, url: url, key: key))
        }
        var transfer = Transfer(id: id, adding: new, at: now)
        if name.hasPrefix("sent") {
            var progress = RequestProgress()
            progress.sent = now
            transfer.work.progress = .request(progress)
        }
        transfer.state = state
        return transfer
    }

    /// The commands in a hint, each without its backquotes.
    private static func commands(in hint: String) -> [String] {
        hint.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .filter { $0.offset % 2 == 1 }.map { String($0.element) }
    }

    /// Types a command that a hint about a transfer names, and fails the test if it is refused.
    ///
    /// - Parameter found: the transfer as the hint found it.
    private static func type(
        _ command: String,
        about transfer: inout Transfer,
        found: Transfer
    ) throws {
        let words = command.split(separator: " ").map(String.init)
        guard words.contains("42") else {
            // A download is repeated by its command line; a request has none.
            let isOfDownloads = command.hasPrefix("ferry get")
            #expect(!isOfDownloads || transfer.kind == .download, "\(command)")
            return
        }
        switch words[1] {
        case "retry", "resume": try transfer.requeue(holder: nil, token: 2, at: now)
        case "cancel": try transfer.ask(.cancel(keepingPart: false), at: now)
        case "pause": try transfer.ask(.pause, at: now)
        case "remove": #expect(transfer.state.isFinal, "\(command)")
        case "resolve":
            // The hint names several ways; a person types one.
            var resolved = found
            try resolved.resolve(words.last == "--sent" ? .arrived : .notArrived, at: now)
        case "show": break
        case "edit":
            var edit = TransferEdit()
            switch words[3] {
            case "--url": edit.url = try HTTPURL(parsing: "https://example.org/other.iso")
            case "--user": edit.credentials = .basic(user: "NAME", password: "PASSWORD")
            case "--not-after": edit.notAfter = now.advanced(by: .seconds(3600))
            case "-H": edit.headers = [.init(name: "NAME", value: "VALUE")]
            case "--after": edit.after = []
            default: Issue.record("\(command)")
            }
            try transfer.apply(edit, at: now)
        default: Issue.record("\(command)")
        }
    }

    /// Types the commands of a hint in their order, as a person does.
    private static func follow(_ hint: String, about transfer: Transfer, _ situation: String) {
        var changed = transfer
        for command in commands(in: hint) {
            do {
                try type(command, about: &changed, found: transfer)
            } catch {
                Issue.record("\(situation): '\(command)' is refused: \(error). \(hint)")
            }
        }
    }

    @Test("of a failed transfer", arguments: works)
    func ofAFailure(_ name: String) throws {
        for code in TransferFailure.Code.allCases {
            // Their remedies are about the transfer before.
            guard code != .dependencyFailed, code != .headFailed else { continue }
            let isUnknown = name == "sent POST"
            guard isUnknown == code.needsResolution else { continue }
            let failures = [
                TransferFailure(code, "It is so."),
                TransferFailure(code, "It is so.", remedies: [.checkURL] + code.remedies),
                TransferFailure(code, "It is so.", cause: .serverError),
                TransferFailure(.attemptsExhausted, "Gave up.", cause: code),
            ]
            for failure in failures where !isUnknown || failure.code == code {
                var transfer = try Self.transfer(name, in: .active)
                let shown = transfer.work.withRemedies(failure)
                transfer.state = .failed(shown)
                // A request never fails with what only files have, and nothing is to be done about it.
                let hint = transfer.advice(on: shown) ?? ""
                #expect(!hint.isEmpty || transfer.kind == .request)
                Self.follow(hint, about: transfer, "\(name) \(code)")
            }
        }
    }

    /// What a refusal of any call advises.
    @Test("of a refusal", arguments: works)
    func ofARefusal(_ name: String) throws {
        let isUnknown = name == "sent POST"
        let failure = TransferFailure(isUnknown ? .outcomeUnknown : .timeout, "It is so.")
        let states: [TransferState] = [
            .queued, .active, .waiting(.network), .paused, .completed, .failed(failure), .cancelled,
        ]
        var move = TransferEdit()
        move.url = try HTTPURL(parsing: "https://example.org/other.iso")
        for state in states {
            for wish in [nil, Wish.cancel(keepingPart: false)] where wish == nil || state == .active {
                var transfer = try Self.transfer(name, in: state)
                transfer.wish = wish
                let calls: [(inout Transfer) throws -> Void] = [
                    { try $0.ask(.pause, at: Self.now) },
                    { try $0.ask(.cancel(keepingPart: false), at: Self.now) },
                    { try $0.requeue(holder: nil, token: 2, at: Self.now) },
                    { try $0.apply(move, at: Self.now) },
                ]
                for call in calls {
                    var changed = transfer
                    do {
                        try call(&changed)
                    } catch {
                        let hint = CommandFailure(error).hint ?? ""
                        Self.follow(hint, about: transfer, "\(name) \(state)")
                    }
                }
            }
        }
    }

    /// A transfer that comes after one that is gone or has failed is not queued again.
    @Test("of a wait in vain", arguments: works, [nil, .failed, .cancelled] as [TransferState.Name?])
    func ofAVainWait(_ name: String, behind state: TransferState.Name?) throws {
        let failure = TransferFailure(.dependencyFailed, "It is so.")
        for (isFailed, code) in [(true, .timeout), (false, .outcomeUnknown), (true, .responseLost)]
            as [(Bool, TransferFailure.Code)]
        {
            var former = try Self.transfer(name, in: isFailed ? .failed(failure) : .paused)
            former.dependencies = [TransferID(rawValue: 7)]
            // Without an attempt, it has not been sent.
            if name.hasPrefix("sent") { former.work.progress = .request(RequestProgress()) }
            var waiting = former
            waiting.state = .waiting(.dependency)
            let vain = waiting.refusalOfVainWait(since: former) { _ throws(Never) in
                state
            } failure: { _ throws(Never) in
                TransferFailure(code, "It is so.")
            }
            let refusal = try #require(vain)
            let hint = try #require(CommandFailure(refusal).hint)
            Self.follow(hint, about: former, name)
            #expect(hint.contains("`ferry edit 42 --after none`"), "\(hint)")
            guard state == .failed else { continue }
            #expect(hint.contains("`ferry retry 7`") == !code.needsResolution, "\(hint)")
            #expect(hint.contains("`ferry resolve 7 --sent`") == code.needsResolution, "\(hint)")
            #expect(hint.contains("--not-sent") == (code == .outcomeUnknown), "\(hint)")
        }
    }

    /// What a transfer says that failed with the one before it.
    @Test("of a transfer that failed with the one before it", arguments: works)
    func ofAConsequence(_ name: String) throws {
        let states: [TransferState] = [
            .failed(TransferFailure(.timeout, "It is so.")), .cancelled,
            .failed(TransferFailure(.outcomeUnknown, "It is so.")),
        ]
        for state in states {
            var first = try Self.transfer("POST", in: state)
            first.id = TransferID(rawValue: 7)
            let consequence = try #require(first.failureOfDependents)
            var transfer = try Self.transfer(name, in: .waiting(.dependency))
            transfer.dependencies = [first.id]
            let hasFailed = transfer.dependencyFailed(consequence, at: Self.now)
            #expect(hasFailed)
            // It was never sent: it still waited.
            if name.hasPrefix("sent") { transfer.work.progress = .request(RequestProgress()) }
            let hint = try #require(transfer.advice(on: consequence))
            #expect(hint.contains("`ferry edit 42 --after none`"), "\(hint)")
            #expect(hint.contains("`ferry retry 7`") == (state == states[0]), "\(hint)")
            #expect(hint.contains("`ferry resolve 7 --not-sent`") == (state == states[2]), "\(hint)")
            Self.follow(hint, about: transfer, "\(name) behind \(state)")
        }
    }

    @Test("of a transfer that gave way", arguments: works)
    func ofOneThatGaveWay(_ name: String) throws {
        var transfer = try Self.transfer(name, in: .queued)
        transfer.giveWay(to: TransferID(rawValue: 7), at: Self.now)
        let failure = try #require(transfer.displacement)
        Self.follow(transfer.advice(on: failure) ?? "", about: transfer, name)
    }
}

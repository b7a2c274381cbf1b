import ArgumentParser
import Ferry
import FerryTesting
import Testing

@testable import FerryCLI
@testable import FerryFrontend

/// What the tool says about each remedy.
@Suite("The words for remedies")
struct RemedyWordingTests {
    private static let transfer = Advice.Subject(id: TransferID(rawValue: 42), hasPartFile: true)
    private static let stream = Advice.Subject(id: TransferID(rawValue: 42), isInterruptible: false)
    private static let missingStream = Advice.Subject(
        id: TransferID(rawValue: 42),
        isInterruptible: false,
        isResumableAsFile: false
    )
    private static let request = Advice.Subject(id: TransferID(rawValue: 42), kind: .request)
    private static let call = Advice.Subject()
    private static let mirrored = Advice.Subject(
        id: TransferID(rawValue: 42),
        hasPartFile: true,
        command: .mirroring
    )
    private static let adopted = Advice.Subject(id: TransferID(rawValue: 42), command: .adopting)
    private static let adoptedByGet = Advice.Subject(id: TransferID(rawValue: 42), command: .gettingToAdopt)
    private static let source = Advice.Subject(command: .mirroring)

    @Test("every remedy has its own sentence, which ends like one")
    func everyRemedyHasWords() {
        var seen: Set<String> = []
        for remedy in Remedy.oneOfEach {
            let text = Advice.text([remedy], about: Self.transfer) ?? ""
            #expect(text.hasSuffix(".") && text.first?.isLowercase == false, "\(remedy): \(text)")
            #expect(seen.insert(text).inserted, "\(remedy) has the words of another: \(text)")
        }
        #expect(seen.count == Remedy.oneOfEach.count)
    }

    /// Another process has another standard output, and there may be no transfer yet.
    @Test(
        "no sentence about a stream or about no transfer retries or changes one",
        arguments: [stream, call]
    )
    func namesNoTransferInVain(_ subject: Advice.Subject) {
        for remedy in Remedy.oneOfEach {
            let text = Advice.text([remedy], about: subject) ?? ""
            #expect(!text.contains("ferry retry 42") && !text.contains("ferry edit"), "\(text)")
            #expect(subject.id != nil || !text.contains("42"), "\(text)")
        }
    }

    @Test("a part file is removed only where there is one")
    func removesNoPartFileInVain() {
        var subject = Self.transfer
        #expect(Advice.text([.removePartFile], about: subject) == "`ferry remove 42` removes its part file.")
        subject.hasPartFile = false
        #expect(Advice.text([.removePartFile], about: subject) == nil)
    }

    static let sentences: [(remedies: [Remedy], subject: Advice.Subject, text: String?)] = [
        ([], transfer, nil),
        (
            [.restartOnChange], adopted,
            "Repeat the `ferry adopt` line with --on-change restart to delete the file and fetch the present version."
        ),
        (
            [.checkURL, .restartOnChange], adoptedByGet,
            "Check the URL. Repeat the `ferry get --adopt` line with --on-change restart "
                + "to delete the file and fetch the present version."
        ),
        (
            [.restartAdoption, .giveOtherDigest], transfer,
            "Repeat the `ferry adopt` line with --on-change restart to delete the file and fetch the present version, "
                + "or another --checksum if this one is wrong."
        ),
        ([.giveURL], call, nil),
        ([.retry], transfer, "`ferry retry 42` tries again."),
        ([.retry], call, "Repeat the command to try again."),
        (
            [.retry], stream,
            "Repeat the `ferry get` line to start over; with -o FILE it can be resumed."
        ),
        (
            [.checkURL, .retry], missingStream,
            "Check the URL, then repeat the `ferry get` line to try again."
        ),
        (
            [.checkURL, .giveURL, .retry], transfer,
            "Check the URL. `ferry edit 42 --url URL` gives another one, and `ferry retry 42` tries again."
        ),
        (
            [.checkURL, .giveURL, .retry], call,
            "Check the URL, then repeat the command to try again."
        ),
        (
            [.giveCredentials, .retry], transfer,
            "`ferry edit 42 --user NAME:PASSWORD` sets credentials, and `ferry retry 42` tries again."
        ),
        (
            [.giveCredentials, .retry], call,
            "Repeat the `ferry get` line with --user NAME:PASSWORD to send credentials. "
                + "Repeat the command to try again."
        ),
        ([.freeSpace, .callAgain], call, "Free some space, then repeat the command."),
        (
            [.mountDisk, .callAgain, .replaceFile], transfer,
            "Mount the disk, then repeat the command. `ferry get --overwrite` with its URL fetches it again."
        ),
        (
            [.overwrite, .autoRename, .chooseOtherName], transfer,
            "Repeat the `ferry get` line with --overwrite to replace it, --auto-rename to keep both, "
                + "or -o NAME to choose another name."
        ),
        (
            [.overwrite, .continueFile], transfer,
            "Repeat the `ferry get` line with --overwrite to replace it, "
                + "or --adopt to continue it if an interrupted download left it."
        ),
        (
            [.giveOtherDigest, .addWithoutDigest], transfer,
            "Repeat the `ferry get` line with another --checksum if this one is wrong. "
                + "To fetch it without a checksum: `ferry remove 42`, then `ferry get` again."
        ),
        ([.addWithoutDigest], call, nil),
        (
            [.moveAway, .fetchAgain, .overwrite], transfer,
            "Move it away, and `ferry retry 42` fetches it again. "
                + "Repeat the `ferry get` line with --overwrite to replace it."
        ),
        (
            [.trustCertificates, .skipVerification, .retry], transfer,
            "Repeat the `ferry get` line with --cacert FILE to trust the certificates in a PEM file, "
                + "or --insecure to connect without verification, if you know why. `ferry retry 42` tries again."
        ),
        (
            [.retryFirst(TransferID(rawValue: 7)), .retry], transfer,
            "Retry transfer 7 first with `ferry retry 7`, and `ferry retry 42` tries again."
        ),
        (
            [.confirmFirst(TransferID(rawValue: 7)), .retry], transfer,
            "Ask the server whether transfer 7 took effect. Then type `ferry resolve 7 --sent` or "
                + "`ferry resolve 7 --not-sent`, and `ferry retry 42` tries again."
        ),
        (
            [.acceptLossFirst(TransferID(rawValue: 7)), .retry], transfer,
            "`ferry resolve 7 --sent` counts transfer 7 as completed, and `ferry retry 42` tries again."
        ),
        (
            [.retryFirst(TransferID(rawValue: 7)), .retry, .dropOrder], transfer,
            "Retry transfer 7 first with `ferry retry 7`, and `ferry retry 42` tries again. To run it without waiting "
                + "for others, type `ferry edit 42 --after none`, then `ferry resume 42`."
        ),
        ([.dropOrder], call, nil),
        (
            [.sendToTarget], request,
            "If you trust that server, send a new request to that URL with `ferry send`. A request with --no-key "
                + "follows the redirect."
        ),
        ([.allowDowngrade], request, "Send a new request with --allow-downgrade to follow it anyway."),
        (
            [.trustCertificates, .skipVerification, .retry], request,
            "Send a new request with --cacert FILE to trust the certificates in a PEM file, or --insecure to connect "
                + "without verification, if you know why. `ferry retry 42` tries again."
        ),
        (
            [.retryInOrder(after: TransferID(rawValue: 7)), .retry], transfer,
            "If their order matters, retry transfer 7 first with `ferry retry 7`, and `ferry retry 42` tries again."
        ),
        (
            [.decryptKey(path: "/a b"), .giveClientCertificate, .retry], transfer,
            "`openssl pkey -in '/a b' -out NEWFILE` writes it without a pass phrase. Repeat the `ferry get` line with "
                + "--cert FILE to present a client certificate in a PEM file. `ferry retry 42` tries again."
        ),
        (
            [.giveOtherClientCertificate, .retry], transfer,
            "Repeat the `ferry get` line with --cert FILE to present another client certificate, as the server did not "
                + "accept this one. `ferry retry 42` tries again."
        ),
        ([], mirrored, nil),
        ([.checkURL, .giveURL, .retry], mirrored, "Repeat the `ferry mirror` line to try again."),
        (
            [.checkURL, .giveURL, .retry], source,
            "Check the URL, then repeat the `ferry mirror` line to try again."
        ),
        (
            [.overwrite, .autoRename, .chooseOtherName], mirrored,
            "Repeat the `ferry mirror` line with --overwrite to replace it."
        ),
        (
            [.giveCredentials, .retry], mirrored,
            "Repeat the `ferry mirror` line with --user NAME:PASSWORD to send credentials."
        ),
        (
            [.freeSpace, .retry], mirrored,
            "Free some space, then repeat the `ferry mirror` line to try again."
        ),
        (
            [.restartOnChange], mirrored,
            "`ferry remove 42` removes its part file, then repeat the `ferry mirror` line to try again."
        ),
        ([.createDirectory(path: "/a-b/c.d")], call, "`mkdir -p /a-b/c.d` creates it."),
        ([.createDirectory(path: "/no/it's here")], call, #"`mkdir -p '/no/it'\''s here'` creates it."#),
    ]

    @Test("steps are joined to sentences", arguments: sentences)
    func joinsSteps(_ sample: (remedies: [Remedy], subject: Advice.Subject, text: String?)) {
        #expect(Advice.text(sample.remedies, about: sample.subject) == sample.text)
    }

    @Test("a failure of a mirror advises to repeat its line", arguments: [mirrored, source])
    func aMirrorIsRepeated(_ subject: Advice.Subject) throws {
        for remedies in TransferFailure.Code.allCases.map(\.remedies) + Remedy.oneOfEach.map({ [$0] }) {
            let text = try #require(Advice.text(remedies, about: subject))
            #expect(text.lowercased().contains("repeat the `ferry mirror` line"), "\(remedies): \(text)")
            for word in ["ferry get", "ferry retry", "ferry edit", " -o ", " -d ", "--auto-rename"] {
                #expect(!text.contains(word), "\(remedies): \(text)")
            }
        }
    }

    /// A failed transfer that has received `received` bytes.
    private func failed(
        _ failure: TransferFailure,
        received: Int64,
        to destination: Destination? = nil
    ) throws
        -> Transfer
    {
        var transfer = try Sample.transfer(state: .failed(failure), received: received)
        if let destination { transfer.specification.destination = destination }
        return transfer
    }

    /// The next attempt drops them again if the server sends no ranges.
    @Test func doesNotCallKeptWhatCameAfterARestart() throws {
        let failure = TransferFailure(.attemptsExhausted, "Gave up.", cause: .connectionLost)
        var transfer = try failed(failure, received: 3 << 20)
        transfer.downloadProgress.note = TransferNote(.resumed, "Resumed.")
        #expect(transfer.advice(on: failure)?.contains("are kept") == true)
        transfer.downloadProgress.note = TransferNote(.startedOver, "Starting over.")
        #expect(transfer.advice(on: failure)?.contains("kept") != true)
    }

    @Test(
        "every final failure names a command to type, and what is kept",
        arguments: TransferFailure.Code.allCases
    )
    func everyFailureNamesACommand(_ code: TransferFailure.Code) throws {
        let alone = TransferFailure(code, "It is so.", remedies: code.remedies)
        let exhausted = TransferFailure(.attemptsExhausted, "Gave up.", remedies: code.remedies, cause: code)
        for failure in [alone, exhausted] {
            for received in [0, Int64(3) << 20] {
                let advice = try #require(failed(failure, received: received).advice(on: failure))
                #expect(advice.contains("`ferry ") && !advice.contains("{"), "\(advice)")
                // A lost part file has no bytes.
                let isKept = received > 0 && code != .partFileLost
                #expect(advice.contains("The 3.0 MiB received are kept.") == isKept, "\(advice)")
            }
            let stream = try failed(failure, received: 3 << 20, to: .standardOutput)
            let advice = try #require(stream.advice(on: failure))
            #expect(!advice.contains("are kept") && !advice.contains("ferry retry"), "\(advice)")
            #expect(advice.contains("`ferry "), "\(advice)")
        }
    }

    @Test(
        "a file is named as the way to resume a stream only if it broke off",
        arguments: [(.connectionLost, true), (.diskFull, true), (.notFound, false), (.forbidden, false)]
            as [(TransferFailure.Code, Bool)]
    )
    func streamsThatBreakOff(_ code: TransferFailure.Code, _ breaksOff: Bool) throws {
        let exhausted = TransferFailure(.attemptsExhausted, "Gave up.", remedies: code.remedies, cause: code)
        for failure in [TransferFailure(code, "It is so.", remedies: code.remedies), exhausted] {
            let advice = try #require(failed(failure, received: 0, to: .standardOutput).advice(on: failure))
            #expect(advice.contains("with -o FILE it can be resumed") == breaksOff, "\(advice)")
        }
    }

    @Test("who typed -c or -C - is told --adopt first, unless the file cannot be the beginning of this one")
    func continuing() throws {
        let ways: [Remedy] = [.overwrite, .autoRename, .chooseOtherName]
        func advice(_ remedies: [Remedy], _ command: RepeatedCommand) throws -> String {
            let failure = TransferFailure(.destinationExists, "It exists.", remedies: remedies)
            return try Sample.transfer(state: .failed(failure)).advice(on: failure, command: command) ?? ""
        }
        let asked = try advice(ways + [.continueFile], .continuing)
        #expect(asked.hasPrefix("Repeat the `ferry get` line with --adopt to continue it"))
        #expect(asked.ranges(of: "--adopt").count == 1)
        #expect(try advice(ways + [.continueFile], .getting).contains("or --adopt to continue it"))
        #expect(try !advice(ways, .continuing).contains("--adopt"))
    }

    @Test("a command that runs or shows what another one has added names both that may have added it")
    func addedByAnother() throws {
        let remedies: [Remedy] = [.overwrite, .autoRename, .continueFile]
        let failure = TransferFailure(.destinationExists, "It exists.", remedies: remedies)
        let transfer = try Sample.transfer(state: .failed(failure))
        let ways = "--overwrite to replace it, or --auto-rename to keep both."
        // `ferry add` has no --adopt.
        let adopting = "`ferry get --adopt` with its URL continues it if an interrupted download left it."
        let advice = "Repeat the `ferry add` or `ferry get` line with \(ways) \(adopting)"
        #expect(transfer.advice(on: failure) == advice)
        let shown = TransferPortrait(transfer).lines(at: Sample.now) { _ in "" }
        #expect(shown.contains { $0.contains("`ferry add` or `ferry get` line") }, "\(shown)")
        let stream = try failed(failure, received: 0, to: .standardOutput)
        #expect(stream.advice(on: failure)?.hasPrefix("Repeat the `ferry get` line") == true)
        let request = Advice.Subject(kind: .request, command: .adding)
        let words = "Send a new request with --insecure to connect without verification, if you know why."
        #expect(Advice.text([.skipVerification], about: request) == words)
    }

    @Test("-c and -C - ask to continue a file, and --adopt does so")
    func continuingLines() throws {
        let aims: [([String], RepeatedCommand)] = [
            (["-c"], .continuing), (["-C", "-"], .continuing), (["--continue"], .continuing), ([], .getting),
            (["-c", "--adopt"], .gettingToAdopt),
        ]
        for (options, command) in aims {
            let words = try Invocation.arranged(["get"] + options + ["https://example.org/a"])
            let input = try GetCommand.parse(Array(words.dropFirst())).input
            #expect(input.aim == .fetch(command), "\(options)")
        }
    }

    @Test("what is kept of an upload is what its server has confirmed")
    func keptUploads() {
        let text = TransferKind.upload.keptText("3.0 MiB")
        #expect(text == "The server keeps the 3.0 MiB that it has confirmed.")
    }

    @Test("a store's error says what to do in its hint")
    func storeErrorsHaveHints() {
        let id = TransferID(rawValue: 42)
        let errors: [(StoreError, String?)] = [
            (.noSuchTransfer(id), "`ferry list` shows the existing ones."),
            (
                .damagedTransfer(id, "bad"),
                "`ferry remove 42` removes transfer 42 from the list. `ferry get` with its URL adds it again."
            ),
            (
                .notPossible(id, "No.", [.pause, .callAgain]),
                "Pause it with `ferry pause 42`, then repeat the command."
            ),
            (.notPossible(id, "No."), nil),
            (
                .newer(path: "/s"),
                "Update ferry. `--data-dir DIRECTORY` or FERRY_DATA_DIR names another place for the store."
            ),
            (.writeFailed(path: "/s", "full", isDiskFull: true), "Free some space, then repeat the command."),
            (.mayOnlyBeRead(path: "/s"), "`ferry list` and `ferry show` only read it."),
        ]
        for (error, hint) in errors {
            let failure = CommandFailure(error)
            #expect(failure.hint == hint)
            #expect(failure.message == error.description && !failure.message.contains("`"))
        }
    }
}

import Ferry
import FerryTesting
import Testing

@testable import FerryCLI
@testable import FerryFrontend

@Suite struct RunLedgerTests {
    private let now = Sample.now

    private func ledger(_ ids: [Int64] = [3]) -> RunLedger {
        RunLedger(order: ids.map { TransferID(rawValue: $0) }, tellingInterval: .seconds(5))
    }

    private func lines(_ news: [Announcement], live: Bool = false) -> [String] {
        news.flatMap { $0.messages(live: live, at: now) }.map { message in
            switch message {
            case .notice(let line): line
            case .failure(let failure): "\(failure.message) | \(failure.hint ?? "")"
            }
        }
    }

    @Test func tellsOfProgressEveryFiveSecondsAndOfTheEnd() throws {
        var ledger = ledger()
        var told: [String] = []
        for second in 0...11 {
            let transfer = try Sample.transfer(received: Int64(second) << 20, length: 64 << 20)
            let at = now.advanced(by: .seconds(second))
            told += lines(ledger.take(Sample.update(transfer, speed: 1_048_576), at: at))
        }
        let done = try Sample.transfer(state: .completed, received: 64 << 20, length: 64 << 20)
        told += lines(ledger.take(Sample.update(done), at: now.advanced(by: .seconds(64))))
        #expect(
            told == [
                "image.iso: 7%, 5.0 MiB of 64.0 MiB, 1.0 MiB/s, 59s left",
                "image.iso: 15%, 10.0 MiB of 64.0 MiB, 1.0 MiB/s, 54s left",
                "Done: /data/image.iso (64.0 MiB in 1m04s).",
            ]
        )
        #expect(ledger.entries.isEmpty)
        #expect(ledger.exitStatus == .done)
    }

    @Test(arguments: [(0, ""), (99, ""), (100, " in 0.1 s"), (2_950, " in 2.9 s")])
    func aTimeTooShortToTellIsLeftOut(_ milliseconds: Int, _ time: String) throws {
        let done = try Sample.transfer(state: .completed, received: 3 << 20, length: 3 << 20)
        let line = PlainProgress.completed(done, took: .milliseconds(milliseconds))
        #expect(line == "Done: /data/image.iso (3.0 MiB\(time)).")
    }

    @Test func aFinalStateIsToldOnce() throws {
        var ledger = ledger()
        let failed = try Sample.transfer(state: .failed(TransferFailure(.notFound, "Nothing there.")))
        #expect(lines(ledger.take(Sample.update(failed), at: now)) == ["image.iso: Nothing there. | "])
        #expect(ledger.take(Sample.update(failed), at: now).isEmpty)
        #expect(ledger.tally.failed == 1)
    }

    /// With `--quiet`, no words are made up for what can only have notices.
    @Test(
        "only what may fail has failures, and no start may",
        arguments: [
            (.queued, false), (.active, false), (.paused, false), (.completed, false), (.cancelled, false),
            (.failed(TransferFailure(.notFound, "Nothing there.")), true), (.waiting(.newURL), true),
            (.waiting(.diskSpace(needed: 5)), true), (.waiting(.diskMount), true),
            (.waiting(.network), false),
            (.waiting(.retry(at: Sample.now)), false), (.waiting(.dependency), false),
            (.waiting(.window(opens: Sample.now)), false), (.waiting(.applicationInactive), false),
        ] as [(TransferState, Bool)]
    )
    func announcesFailures(_ state: TransferState, mayFail: Bool) throws {
        let transfer = try Sample.transfer(state: state)
        let news: [Announcement.News] = [
            .added, .attached(process: nil), .attached(process: 4), .note(TransferNote(.resumed, "Resumed.")),
            .progress, .state(took: nil),
        ]
        for news in news {
            let announcement = Announcement(transfer, transfer.recordedProgress, news)
            let messages = [true, false].flatMap { announcement.messages(live: $0, at: now) }
            let failures = (messages + announcement.journalMessages(at: now)).filter {
                if case .failure = $0 { true } else { false }
            }
            #expect(failures.isEmpty != announcement.mayFail, "\(news)")
            if case .state = news { #expect(announcement.mayFail == mayFail) }
        }
    }

    /// A run that was stopped is unfinished if it knows of an unfinished transfer, or has left others.
    @Test(
        arguments: [
            ([], false, false, .done), ([], false, true, .unfinished), ([], true, false, .done),
            ([], true, true, .unfinished), ([.queued], true, false, .unfinished),
            ([.failed(TransferFailure(.notFound, ""))], false, true, .notFound),
            ([.failed(TransferFailure(.notFound, ""))], true, false, .notFound),
            ([.failed(TransferFailure(.notFound, ""))], true, true, .unfinished),
            ([.paused, .failed(TransferFailure(.notFound, ""))], false, false, .notFound),
            ([.paused, .completed], false, false, .unfinished),
        ] as [([TransferState], Bool, Bool, FerryFrontend.ExitStatus)]
    )
    func exitStatusOfARun(
        _ states: [TransferState],
        isStopped: Bool,
        leavesOthers: Bool,
        _ expected: FerryFrontend.ExitStatus
    ) throws {
        var ledger = ledger()
        for (id, state) in zip(Int64(1)..., states) {
            _ = ledger.take(Sample.update(try Sample.transfer(id: id, state: state)), at: now)
        }
        #expect(ledger.finalStatus(isStopped: isStopped, leavesOthers: leavesOthers) == expected)
    }

    @Test func whatWasNotReadCountsInThePictureAndMakesTheTotalUnknown() throws {
        var ledger = ledger([])
        ledger.isWatching = true
        let running = try Sample.transfer(state: .active, received: 1 << 20, length: 4 << 20)
        _ = ledger.take(Sample.update(running), at: now)
        #expect(ledger.board(at: now, steady: now, limit: 5).total == nil && ledger.total.total == 4 << 20)
        ledger.unread = 99_999
        let board = ledger.board(at: now, steady: now, limit: 5)
        #expect(board.rows.count == 1 && board.others == 99_999)
        #expect(board.total?.name == "0 of 100000" && ledger.total.total == nil)
    }

    @Test func notesAreToldEvenWithAFinalState() throws {
        var ledger = ledger()
        let done = try Sample.transfer(state: .completed, received: 1, length: 1)
        let told = lines(
            ledger.take(
                Sample.update(done, notes: [TransferNote(.resumed, "Resumed at 1 B: ETag matched.")]),
                at: now
            )
        )
        #expect(told == ["image.iso: Resumed at 1 B: ETag matched.", "Done: /data/image.iso (1 B)."])
    }

    @Test func theFirstFailureInTheOrderOfTheCommandLineDecides() throws {
        var ledger = ledger([9, 4, 7])
        let failures: [(Int64, TransferFailure.Code)] = [(7, .timeout), (4, .checksumMismatch)]
        for (id, code) in failures {
            let transfer = try Sample.transfer(id: id, state: .failed(TransferFailure(code, "")))
            _ = ledger.take(Sample.update(transfer), at: now)
        }
        let done = try Sample.transfer(id: 9, state: .completed)
        _ = ledger.take(Sample.update(done), at: now)
        #expect(ledger.exitStatus == .checksumMismatch)
    }

    @Test func aTransferThatWaitsForAPersonEndsWithSevenAndTheLineToType() throws {
        var ledger = ledger()
        var transfer = try Sample.transfer(state: .waiting(.newURL), received: 1 << 30, length: 4 << 30)
        transfer.latestFailure = TransferFailure(.urlExpired, "The signed URL has expired.")
        let told = lines(ledger.take(Sample.update(transfer), at: now), live: true)
        #expect(
            told == [
                "image.iso: The signed URL has expired. | `ferry edit 3 --url URL` gives a fresh one, then "
                    + "`ferry resume 3` resumes; 1.0 GiB of 4.0 GiB kept."
            ]
        )
        #expect(ledger.exitStatus == .unfinished)
    }

    @Test(
        arguments: [
            (.getting, "repeat the `ferry get` line"), (.continuing, "repeat the `ferry get` line"),
            (.mirroring, "repeat the `ferry mirror` line"),
            (.adding, "repeat the `ferry add` or `ferry get` line"),
            (.adopting, "type `ferry get` with its URL"),
            (.gettingToAdopt, "type `ferry get` with its URL"),
        ] as [(RepeatedCommand, String)]
    )
    func aTransferThatWaitsForItsDiskSaysWhichOneToMount(command: RepeatedCommand, step: String) throws {
        var ledger = ledger()
        var transfer = try Sample.transfer(state: .waiting(.diskMount), received: 1 << 30, length: 4 << 30)
        transfer.latestFailure = TransferFailure(.cannotOpen, "The disk is not there.")
        var news = ledger.take(Sample.update(transfer), at: now)
        for index in news.indices { news[index].command = command }
        #expect(
            lines(news, live: true) == [
                "image.iso: The disk is not there. | Mount the disk. Then `ferry run` or `ferry resume 3` resumes; "
                    + "1.0 GiB of 4.0 GiB kept; a running service does so by itself. If the directory was deleted, type "
                    + "`ferry cancel 3` and \(step) to start over."
            ]
        )
        #expect(ledger.exitStatus == .unfinished)
        #expect(transfer.stateText(at: now) == "waiting for the disk with its part file")
        transfer.state = .waiting(.diskSpace(needed: 3 << 30))
        #expect(transfer.stateText(at: now) == "waiting for 3.0 GiB of free disk space")
    }

    @Test func aTransferWithoutBytesWaitsForTheDiskOfItsDirectory() throws {
        let transfer = try Sample.transfer(state: .waiting(.diskMount))
        #expect(transfer.stateText(at: now) == "waiting for the disk of its directory")
    }

    @Test func aTransferThatWasTriedAgainIsForgiven() throws {
        var ledger = ledger()
        let failed = try Sample.transfer(state: .failed(TransferFailure(.timeout, "")))
        _ = ledger.take(Sample.update(failed), at: now)
        _ = ledger.take(Sample.update(try Sample.transfer(state: .queued)), at: now)
        _ = ledger.take(Sample.update(try Sample.transfer(state: .completed)), at: now)
        #expect(ledger.exitStatus == .done)
        #expect(ledger.tally == RunLedger.Tally(completed: 1))
    }

    @Test(arguments: [false, true])
    func aFileThatWasLeftAloneIsSkipped(isVerified: Bool) throws {
        var ledger = ledger()
        var options = DownloadOptions()
        if isVerified {
            options.checksum = Checksum(algorithm: .sha256, digest: [UInt8](repeating: 7, count: 32))
        }
        var skipped = try Sample.transfer(state: .completed, options: options)
        skipped.downloadProgress.note = TransferNote(.fileKept, "It exists.")
        let line = "Skipped: /data/image.iso\(isVerified ? " (sha-256 verified)" : "")."
        #expect(lines(ledger.take(Sample.update(skipped), at: now)) == [line])
        #expect(ledger.exitStatus == .done)
    }

    @Test func aNameThatAnotherTransferHasIsToldWithItsNumber() throws {
        let failure = TransferFailure(.destinationExists, "It is there.", remedies: [.moveAway])
        let failed = try Sample.transfer(state: .failed(failure))
        var announcement = Announcement(failed, failed.recordedProgress, .state(took: nil))
        #expect(lines([announcement]) == ["image.iso: It is there. | Move it away."])
        announcement.rival = try Sample.transfer(id: 4, state: .paused, received: 1 << 30, length: 4 << 30)
        let told = lines([announcement]).joined()
        #expect(told.contains("Transfer 4 has that name; it is paused at 1.0 GiB of 4.0 GiB."), "\(told)")
        #expect(told.contains("`ferry resume 4`") && !told.contains("Move it away"), "\(told)")
        announcement.rival?.state = .failed(failure)
        #expect(lines([announcement]).joined().contains("it has failed at 1.0 GiB of 4.0 GiB."))
    }

    @Test func whatIsAddedPausedIsToldHowToBegin() throws {
        let transfer = try Sample.transfer(state: .paused)
        for news in [Announcement.News.added, .attached(process: nil)] {
            let announcement = Announcement(transfer, transfer.recordedProgress, news)
            #expect(lines([announcement]) == ["image.iso: paused at 0 B. `ferry resume 3` resumes."])
        }
    }

    /// Their records are of no use: the person was told, and there is nothing to resume.
    @Test func aDownloadThatIsRefusedForItsNameBeforeItsFirstByteIsNoted() throws {
        for (code, remedies, received, isNoted) in [
            (.destinationExists, [], 0, true), (.destinationExists, [], 1, false), (.notFound, [], 0, false),
            // The existing file has another digest, or what was fetched.
            (.checksumMismatch, [.overwrite], 0, true), (.checksumMismatch, [.fetchAgain], 0, false),
        ] as [(TransferFailure.Code, [Remedy], Int64, Bool)] {
            var ledger = ledger()
            let failure = TransferFailure(code, "No.", remedies: remedies)
            let failed = try Sample.transfer(state: .failed(failure), received: received)
            _ = ledger.take(Sample.update(failed), at: now)
            #expect(ledger.refused == (isNoted ? [failed.id] : []))
            // Another command has queued it again.
            _ = ledger.take(Sample.update(try Sample.transfer(state: .queued)), at: now)
            #expect(ledger.refused.isEmpty)
        }
    }

    @Test func aNumberedNameIsNotOverwritten() throws {
        var options = DownloadOptions()
        options.existingFile = .autoRename
        let plain = try Sample.transfer(state: .completed, options: options)
        let numbered = try Sample.transfer(name: "image.1.iso", state: .completed, options: options)
        let told = [plain, numbered].flatMap { transfer in
            lines([Announcement(transfer, transfer.recordedProgress, .attached(process: nil))])
        }
        #expect(told[0].contains("--overwrite"))
        #expect(!told[1].contains("--overwrite") && told[1].contains("`ferry remove 3`"))
    }

    @Test func aClosedStandardOutputEndsWithoutAWord() throws {
        var transfer = try Sample.transfer(
            state: .failed(TransferFailure(.streamLost, "The reader is gone."))
        )
        transfer.specification.destination = .standardOutput
        var ledger = ledger()
        #expect(lines(ledger.take(Sample.update(transfer), at: now)).isEmpty)
    }

    @Test func aStandardOutputThatWasStoppedDoesNot() throws {
        var transfer = try Sample.transfer(state: .failed(.streamStopped))
        transfer.specification.destination = .standardOutput
        let announcement = Announcement(transfer, transfer.recordedProgress, .state(took: nil))
        let told = lines([announcement])
        #expect(
            told.count == 1 && told[0].contains("was stopped") && told[0].contains("to start over"),
            "\(told)"
        )
        // Who pressed Ctrl-C here is told the same, and that nothing is wrong.
        #expect(announcement.messages(live: false, isStopping: true, at: now).count == 1)
        #expect(ExitStatus(transfer.state) == .unfinished)
    }

    @Test func whatFailedIsNotCountedAsDone() throws {
        var ledger = ledger([])
        for id in Int64(1)...4 {
            let failure = TransferFailure(.notFound, "Nothing there.")
            let state: TransferState = id == 1 ? .completed : id == 2 ? .failed(failure) : .active
            _ = ledger.take(Sample.update(try Sample.transfer(id: id, state: state)), at: now)
        }
        #expect(ledger.board(at: now, steady: now, limit: 9).total?.name == "1 of 4, 1 failed")
    }

    @Test func onlyWhatRunsOrWaitsHasARow() throws {
        var ledger = ledger()
        for id in Int64(1)...20 {
            let state: TransferState = id <= 3 ? .active : .queued
            _ = ledger.take(Sample.update(try Sample.transfer(id: id, state: state)), at: now)
        }
        let board = ledger.board(at: now, steady: now, limit: 24)
        #expect(board.rows.count == 3)
        #expect(board.others == 17)
        #expect(board.total?.name == "0 of 20")
    }

    @Test func ofAGreatManyThatHaveNotBegunOnlyTheNumbersAreKept() throws {
        let count = Int64(RunLedger.mostQueued * 3)
        var ledger = ledger(Array(1...count))
        for id in 1...count {
            let told = ledger.take(Sample.update(try Sample.transfer(id: id, state: .queued)), at: now)
            #expect(told.map(\.news) == [.state(took: nil)])
            #expect(ledger.knows(TransferID(rawValue: id)))
        }
        #expect(ledger.entries.count == RunLedger.mostQueued)
        #expect(ledger.unfinishedCount == Int(count))
        #expect(ledger.unfinishedIDs.map(\.rawValue) == Array(1...count))
        #expect(ledger.board(at: now, steady: now, limit: 24).others == Int(count) - 1)
        let last = try Sample.transfer(id: count, state: .queued)
        #expect(ledger.take(Sample.update(last), at: now).isEmpty)
        // Each state is news once, as of those that have a row.
        let paused = try Sample.transfer(id: count, state: .paused)
        #expect(ledger.take(Sample.update(paused), at: now).map(\.news) == [.state(took: nil)])
        #expect(ledger.take(Sample.update(paused), at: now).isEmpty)
        let active = try Sample.transfer(id: count, state: .active, received: 1, length: 4)
        #expect(ledger.take(Sample.update(active), at: now).count == 1)
        #expect(ledger.entries[active.id]?.progress.received == 1)
        #expect(ledger.total.total == nil)
    }

    @Test func whatHasNotBegunIsUnfinishedUntilItIsDone() throws {
        let count = Int64(RunLedger.mostQueued + 2)
        var ledger = ledger(Array(1...count))
        for id in 1...count {
            _ = ledger.take(Sample.update(try Sample.transfer(id: id, state: .queued)), at: now)
        }
        for id in 1..<count {
            _ = ledger.take(Sample.update(try Sample.transfer(id: id, state: .completed)), at: now)
        }
        #expect(ledger.exitStatus == .unfinished && ledger.unfinishedCount == 1)
        var other = ledger
        other.forget(TransferID(rawValue: count))
        #expect(other.exitStatus == .done)
        _ = ledger.take(Sample.update(try Sample.transfer(id: count, state: .completed)), at: now)
        #expect(ledger.exitStatus == .done && ledger.unfinishedCount == 0)
        #expect(ledger.tally.completed == Int(count))
    }

    @Test func saysWhatIsKept() throws {
        let transfer = try Sample.transfer(state: .paused, received: 1_288_490_189, length: 4 << 30)
        #expect(
            ForegroundRun.keptText(transfer, .transfers(count: 1), process: nil)
                == "Stopped image.iso at 1.2 GiB of 4.0 GiB. Resume with `ferry resume 3` or by repeating the command."
        )
        #expect(PlainProgress.continuing(transfer) == "Resuming image.iso: 1.2 GiB of 4.0 GiB kept.")
        // The note about the resumption says the same.
        var queued = transfer
        queued.state = .queued
        #expect(lines([Announcement(queued, queued.recordedProgress, .attached(process: nil))]).isEmpty)
        let announcement = Announcement(transfer, transfer.recordedProgress, .attached(process: 1234))
        #expect(lines([announcement]) == ["Transfer 3 is being run by process 1234; following it."])
    }

    /// What a server compressed is decoded on the way, and no attempt resumes it.
    @Test func doesNotCallKeptWhatCannotBeResumed() throws {
        var transfer = try Sample.transfer(state: .paused, received: 4096)
        transfer.downloadProgress.isDecoded = true
        let announcement = Announcement(transfer, transfer.recordedProgress, .state(took: nil))
        let portrait = TransferPortrait(transfer)
        var texts = [ForegroundRun.keptText(transfer, .transfers(count: 1), process: nil)]
        texts += lines([announcement]) + [portrait.lines(at: now).first { $0.contains("Next") } ?? ""]
        for state in [
            TransferState.waiting(.newURL), .waiting(.diskSpace(needed: 9)), .waiting(.diskMount), .queued,
        ] {
            transfer.state = state
            texts.append(ForegroundRun.keptText(transfer, .transfers(count: 1), process: nil))
            guard state != .queued else { continue }
            let told = Announcement(transfer, transfer.recordedProgress, .state(took: nil))
            for case .failure(let failure) in told.messages(live: false, at: now) {
                texts.append(failure.hint ?? "")
            }
        }
        #expect(texts.count == 10)
        for text in texts {
            #expect(text.contains("starts over, because the server compressed the file"), "\(text)")
            #expect(!text.contains("kept") && !text.contains("resumes"), "\(text)")
        }
        let attached = Announcement(transfer, transfer.recordedProgress, .attached(process: nil))
        #expect(lines([attached]).allSatisfy { !$0.contains("Resuming") })
        let failure = TransferFailure(.notFound, "There is nothing (404).", remedies: [.giveURL])
        transfer.state = .failed(failure)
        #expect(transfer.advice(on: failure)?.contains("kept") == false)
    }

    @Test(arguments: [false, true])
    func theLineToRepeatIsThatOfTheCommand(_ isOfMirror: Bool) throws {
        let failure = TransferFailure(.destinationExists, "It exists.", remedies: [.overwrite, .autoRename])
        let transfer = try Sample.transfer(state: .failed(failure))
        var announcement = Announcement(transfer, transfer.recordedProgress, .state(took: nil))
        announcement.command = isOfMirror ? .mirroring : .getting
        var texts = [announcement.json(owners: OwnerDirectory()).text]
        for rival in [nil, try Sample.transfer(id: 7, state: .paused)] {
            announcement.rival = rival
            for case .failure(let failure) in announcement.messages(live: false, at: now) {
                texts.append(failure.hint ?? "")
            }
        }
        #expect(texts.count == 3)
        for text in texts {
            #expect(text.contains("`ferry mirror` line") == isOfMirror, "\(text)")
            #expect(text.contains("--auto-rename") != isOfMirror, "\(text)")
        }
    }

    @Test func saysForWhatItWaitsThatAnotherProcessHas() throws {
        let waiting = try Sample.transfer(state: .waiting(.network))
        let announcement = Announcement(waiting, waiting.recordedProgress, .attached(process: 1234))
        #expect(
            lines([announcement]) == [
                "Transfer 3 is being run by process 1234; following it.",
                "image.iso: \(waiting.stateText(at: now))",
            ]
        )
    }

    @Test func estimatesTheSpeedOfAnotherProcess() {
        var speed = FollowedSpeed()
        speed.sample(0, isRunning: true, at: now)
        #expect(speed.bytesPerSecond == nil)
        speed.sample(1000, isRunning: true, at: now.advanced(by: .seconds(1)))
        #expect(speed.bytesPerSecond == 1000)
        speed.sample(1000, isRunning: true, at: now.advanced(by: .milliseconds(1100)))
        #expect(speed.bytesPerSecond == 1000)
        speed.sample(1000, isRunning: false, at: now.advanced(by: .seconds(2)))
        #expect(speed.bytesPerSecond == nil)
    }

    @Test func whatIsAlreadyCompleteHasOneLine() throws {
        let done = try Sample.transfer(state: .completed, received: 5, length: 5)
        let attached = Announcement(done, done.recordedProgress, .attached(process: nil))
        let line = "image.iso is already complete: /data/image.iso. `ferry get --overwrite` fetches it again."
        #expect(attached.saysItIsComplete && lines([attached]) == [line])
        #expect(!Announcement(done, done.recordedProgress, .added).saysItIsComplete)
        let paused = try Sample.transfer(state: .paused)
        #expect(
            !Announcement(paused, paused.recordedProgress, .attached(process: nil)).saysItIsComplete
        )
    }

    @Test func knowsWhetherAllButFailuresOfOneKindIsDone() throws {
        var ledger = ledger([1, 2, 3])
        let exists = TransferState.failed(TransferFailure(.destinationExists, "It exists."))
        let missing = TransferState.failed(TransferFailure(.notFound, "There is nothing."))
        #expect(ledger.isDone(besides: .fileExists))
        for (id, state, isDone) in [
            (1, .completed, true), (2, exists, true), (3, .active, false), (3, missing, false),
        ] as [(Int64, TransferState, Bool)] {
            _ = ledger.take(Sample.update(try Sample.transfer(id: id, state: state)), at: now)
            #expect(ledger.isDone(besides: .fileExists) == isDone)
        }
    }

    @Test(arguments: [false, true])
    func aWrongFileIsOnlyInTheWayOfAMirror(isMirror: Bool) throws {
        var ledger = ledger()
        ledger.passesFilesInTheWay = isMirror
        let failure = TransferFailure(.checksumMismatch, "It is another file.", remedies: [.overwrite])
        let refused = try Sample.transfer(state: .failed(failure), received: 1)
        _ = ledger.take(Sample.update(refused), at: now)
        #expect(ledger.isDone(besides: .fileExists) == isMirror)
        #expect(ledger.exitStatus == (isMirror ? .fileExists : .checksumMismatch))
    }

    @Test func aWatcherSeesQueuedAndPausedTransfersToo() throws {
        var ledger = ledger([])
        for (id, state) in [(1, TransferState.paused), (2, .queued), (3, .active)] as [(Int64, TransferState)]
        {
            _ = ledger.take(Sample.update(try Sample.transfer(id: id, state: state, received: 1)), at: now)
        }
        #expect(ledger.board(at: now, steady: now, limit: 9).rows.count == 1)
        ledger.isWatching = true
        #expect(ledger.board(at: now, steady: now, limit: 9).rows.count == 3)
        #expect(ledger.board(at: now, steady: now, limit: 2).others == 1)
    }
}

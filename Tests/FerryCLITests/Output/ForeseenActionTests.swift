import Ferry
import FerryCore
import FerryTesting
import Testing

@testable import FerryCLI
@testable import FerryFrontend

/// What `--dry-run` says that `ferry get` would do.
@Suite struct ForeseenActionTests {
    private static let kinds: [FileSurvey.Kind?] = FileSurvey.Kind.allCases.map(Optional.some) + [nil]

    private func options(
        _ policy: ExistingFilePolicy = .fail,
        updates: Bool = false,
        isProvable: Bool = false
    ) -> DownloadOptions {
        var options = DownloadOptions()
        if isProvable {
            options.checksum = Checksum(algorithm: .sha256, digest: [UInt8](repeating: 7, count: 32))
        }
        options.existingFile = policy
        options.updates = updates
        return options
    }

    private func entry(_ kind: FileSurvey.Kind) -> FileSurvey.Entry {
        FileSurvey.Entry(identity: FileIdentity(device: 1, inode: 2), length: 9, kind: kind, modified: 7)
    }

    private func found(_ kind: FileSurvey.Kind?) -> ForeseenAction.Found {
        ForeseenAction.Found(final: kind.map(entry))
    }

    /// A transfer of 100 bytes, of which 40 are in its part file.
    private func half(_ id: Int64 = 3, _ state: TransferState = .paused) throws -> Transfer {
        var transfer = try Sample.transfer(id: id, state: state, received: 40, length: 100)
        let name = try FileName(userGiven: "image.iso.part")
        let identity = FileIdentity(device: 1, inode: UInt64(id))
        transfer.downloadProgress.part = PartFileClaim(
            name: name,
            identity: identity,
            boot: BootID(rawValue: "b")
        )
        return transfer
    }

    /// The part file of that transfer, and perhaps a file under the final name.
    private func part(_ final: FileSurvey.Kind? = nil) -> ForeseenAction.Found {
        let identity = FileIdentity(device: 1, inode: 3)
        let part = FileSurvey.Entry(identity: identity, length: 40, kind: .file)
        return ForeseenAction.Found(final: final.map(entry), part: part)
    }

    private func action(
        _ earlier: Foresight.Earlier = .none,
        _ found: ForeseenAction.Found = ForeseenAction.Found(),
        _ options: DownloadOptions = DownloadOptions(),
        isNamed: Bool = true,
        saved: PlacedFile? = nil,
        owners: OwnerDirectory = OwnerDirectory()
    ) throws -> ForeseenAction {
        var new = NewTransfer(try Sample.transfer(options: options).specification)
        if let saved { new.work.replace(saved) }
        let foresight = Foresight(new, earlier)
        return ForeseenAction(foresight, found, options, isNamed: isNamed, owners: owners, at: Sample.now)
    }

    @Test(arguments: ExistingFilePolicy.allCases, [true, false])
    func aNewDownloadDoesWhatTheTableSays(policy: ExistingFilePolicy, isNamed: Bool) throws {
        for kind in Self.kinds {
            let expected = DestinationTable.decide(
                kind,
                isNamed: isNamed,
                .unrecorded,
                policy: policy,
                updates: false,
                isProvable: false
            )
            let action = try action(.none, found(kind), options(policy), isNamed: isNamed)
            #expect(action.name == expected.rawValue, "\(String(describing: kind))")
            #expect((action.failure != nil) == (expected == .fail))
            guard let failure = action.failure else { continue }
            #expect(failure.message.contains("--overwrite") == (kind == .file))
            #expect(failure.message.contains("and is never replaced") == (kind != .file))
            #expect(failure.status == (kind == .file ? .fileExists : .cannotCreate))
        }
    }

    @Test func anUpdateKnowsWhetherTheSavedFileIsStillThere() throws {
        let (here, other) = (entry(.file), FileIdentity(device: 1, inode: 3))
        let saved = PlacedFile(identity: here.identity, length: here.length, modified: here.modified)
        let replaced = PlacedFile(identity: other, length: 9, modified: 7)
        for (file, policy, name) in [
            (saved, .fail, "update"), (replaced, .fail, "fail"), (nil, .fail, "fail"),
            (replaced, .overwrite, "replace"), (saved, .overwrite, "update"),
        ] as [(PlacedFile?, ExistingFilePolicy, String)] {
            let action = try action(.none, found(.file), options(policy, updates: true), saved: file)
            #expect(action.name == name)
        }
    }

    @Test func anEarlierTransferIsNamed() throws {
        let half = try half()
        let action = try action(.met(half), part())
        #expect(action.name == "resume" && action.transfer?.id == half.id)
        #expect(
            action.text.hasPrefix("resumes transfer 3 at ") && action.text.hasSuffix("(40%)"),
            "\(action.text)"
        )
        let done = try Sample.transfer(state: .completed, received: 9, length: 9)
        #expect(try self.action(.fulfilled(done), found(.file)) == .complete(done))
        let cancelled = try Sample.transfer(state: .cancelled, received: 40, length: 100)
        #expect(try self.action(.kept(cancelled)) == .resume(cancelled))
        // Nothing has come: it is as good as new.
        let failed = try Sample.transfer(state: .failed(TransferFailure(.notFound, "None.")))
        #expect(try self.action(.met(failed)) == .download(.create))
        var encoded = half
        encoded.downloadProgress.isDecoded = true
        #expect(try self.action(.met(encoded), part()).name == "startOver")
        // Its part file is gone, or another one.
        #expect(try self.action(.met(half)) == .download(.create))
        #expect(try self.action(.met(self.half(4)), part()) == .download(.create))
    }

    @Test func aFileThatHasTheNameByNowIsInTheWayOfAnEarlierTransferToo() throws {
        let half = try half()
        for (policy, name) in [
            (.fail, "fail"), (.noClobber, "skip"), (.overwrite, "resume"), (.autoRename, "resume"),
        ] as [(ExistingFilePolicy, String)] {
            #expect(try action(.met(half), part(.file), options(policy)).name == name)
        }
        // If it has the digest that is asked for, it is the wanted one.
        let provable = try action(.met(half), part(.file), options(isProvable: true))
        #expect(provable == .download(.verify))
    }

    @Test func whatAnotherProcessRunsIsFollowedUnlessTheStoreRefuses() throws {
        let owner = OwnerID(rawValue: 5)
        var running = try half(3, .active)
        running.claim = Claim(transfer: running.id, owner: owner, token: 1)
        let alive = OwnerDirectory(processes: [owner: 99])
        #expect(try action(.met(running), owners: alive) == .follow(running, process: 99))
        var strict = DownloadOptions()
        strict.headers = [.init(name: "X", value: "1")]
        let refused = try action(.met(running), ForeseenAction.Found(), strict, owners: alive)
        #expect(refused.failure?.message.contains("header fields") == true, "\(refused)")
        #expect(refused.failure?.status == .other)
        // A dead process runs nothing: its transfer is resumed.
        let dead = OwnerDirectory(processes: [:], dead: [owner: .died])
        #expect(try action(.met(running), part(), owners: dead).name == "resume")
    }

    @Test func anotherTransferMayHaveTheName() throws {
        let owner = OwnerID(rawValue: 5)
        var rival = try half(7, .active)
        rival.claim = Claim(transfer: rival.id, owner: owner, token: 1)
        let alive = OwnerDirectory(processes: [owner: 99])
        let found = ForeseenAction.Found(rival: rival)
        for (policy, owners, name) in [
            (.fail, alive, "fail"), (.overwrite, alive, "wait"), (.overwrite, OwnerDirectory(), "fail"),
            (.autoRename, alive, "number"),
        ] as [(ExistingFilePolicy, OwnerDirectory, String)] {
            let action = try action(.none, found, options(policy), owners: owners)
            #expect(action.name == name)
            guard name == "fail" else { continue }
            #expect(action.failure?.message.contains("transfer 7 has this name") == true)
            #expect(action.failure?.status == .fileExists)
        }
        // No one asked for the file of the other one to be replaced.
        let unnamed = try action(.none, found, options(.overwrite), isNamed: false, owners: alive)
        #expect(unnamed.failure?.message.contains("transfer 7 has this name") == true)
    }

    @Test func aDirectoryThatCannotBeUsedIsTheReason() throws {
        let problem = TransferFailure(.cannotCreate, "The directory /d does not exist.")
        let action = try action(.none, ForeseenAction.Found(problem: problem))
        #expect(action.text == "fails: the directory /d does not exist")
        #expect(action.failure?.status == .cannotCreate)
    }
}

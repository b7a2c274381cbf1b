import FerryTesting
import HTTPTypes
import Testing

@testable import FerryCore

/// What others left under the name of the part file stays as it is, and the part file gets another name (I6).
@Suite("Another name for the part file")
struct PartNumberTests {
    private static let mine = FileIdentity(device: 1, inode: 2)
    private static let theirs = FileIdentity(device: 1, inode: 7)
    private static let first = ConnectionID(rawValue: 1)

    private func machine(
        from progress: DownloadProgress = DownloadProgress(),
        named: Bool = true,
        existing: ExistingFilePolicy = .fail
    ) throws -> DownloadMachine {
        var options = DownloadOptions()
        options.existingFile = existing
        let specification = DownloadSpecification(
            url: try HTTPURL(parsing: "http://example.com/f"),
            destination: .file(directory: "/d", name: named ? .fallback : nil),
            options: options
        )
        return DownloadMachine(specification, from: progress, boot: DownloadScenario.boot, at: .epoch)
    }

    private func foreign(
        _ kind: FileSurvey.Kind = .file,
        length: Int64 = 9,
        isHeld: Bool = false,
        isClaimed: Bool = false
    ) -> FileSurvey {
        let entry = FileSurvey.Entry(identity: Self.theirs, length: length, kind: kind)
        var survey = FileSurvey(final: nil, part: entry, isPartHeld: isHeld)
        survey.isPartClaimed = isClaimed
        return survey
    }

    private func parts(in actions: [DownloadAction]) -> [String] {
        actions.compactMap {
            switch $0 {
            case .survey(let place, _), .createPart(let place): place.part.rawValue
            default: nil
            }
        }
    }

    private var head: ResponseFacts {
        let head = ResponseHead(status: 200, headers: [.eTag: "\"v1\""], bodyLength: 1000)
        return ResponseFacts(head, at: .epoch)
    }

    private static let kinds: [FileSurvey.Kind] = [.file, .directory, .symbolicLink, .stream, .other]

    @Test(arguments: kinds, [ExistingFilePolicy.fail, .overwrite, .noClobber])
    func isTakenAndRecordedBeforeTheFileHasIt(kind: FileSurvey.Kind, policy: ExistingFilePolicy) throws {
        var machine = try machine(existing: policy)
        #expect(parts(in: machine.handle(.begin, at: .epoch)) == ["index.html.part"])
        #expect(parts(in: machine.handle(.surveyed(foreign(kind)), at: .epoch)) == ["index.html~1.part"])
        #expect(parts(in: machine.handle(.surveyed(foreign(kind)), at: .epoch)) == ["index.html~2.part"])
        let free = FileSurvey(final: nil, part: nil)
        #expect(machine.handle(.surveyed(free), at: .epoch).last == .connect(Self.first, .whole))
        #expect(machine.progress.note?.code == .partNumbered)
        let created = machine.handle(.head(Self.first, head), at: .epoch)
        #expect(parts(in: created) == ["index.html~2.part"])
        let actions = machine.handle(.partReady(Self.mine), at: .epoch)
        guard case .record(let progress, .power)? = actions.first else {
            Issue.record("\(actions)")
            return
        }
        #expect(progress.part?.name.rawValue == "index.html~2.part" && actions.last == .namePart)
        // After a crash, the claim leads to the file, whatever has the other names by then.
        var next = try self.machine(from: progress, existing: policy)
        let again = next.handle(.begin, at: .epoch)
        #expect(parts(in: again) == ["index.html~2.part"])
        let found = FileSurvey(final: nil, part: .init(identity: Self.mine, length: 0, kind: .file))
        let opened = next.handle(.surveyed(found), at: .epoch)
        let place = FilePlace(directory: "/d", name: .fallback, part: progress.part?.name)
        #expect(opened == [.openPart(place, Self.mine)])
    }

    @Test func isTakenForANameThatTheServerChose() throws {
        var machine = try machine(named: false)
        _ = machine.handle(.begin, at: .epoch)
        let surveyed = machine.handle(.head(Self.first, head), at: .epoch)
        #expect(parts(in: surveyed) == ["f.part"])
        #expect(parts(in: machine.handle(.surveyed(foreign()), at: .epoch)) == ["f~1.part"])
        let free = machine.handle(.surveyed(FileSurvey(final: nil, part: nil)), at: .epoch)
        #expect(parts(in: free) == ["f~1.part"])
    }

    /// The file system refuses to create a file beside an empty one.
    @Test func isTakenBesideAnEmptyFile() throws {
        var machine = try machine()
        _ = machine.handle(.begin, at: .epoch)
        let empty = machine.handle(.surveyed(foreign(length: 0)), at: .epoch)
        #expect(empty == [.connect(Self.first, .whole)])
        _ = machine.handle(.head(Self.first, head), at: .epoch)
        let taken = Problem.permanent(.destinationExists, "It is there.")
        let next = machine.handle(.storageFailed(.prepare, taken), at: .epoch)
        #expect(parts(in: next) == ["index.html~1.part"])
        let created = machine.handle(.surveyed(FileSurvey(final: nil, part: nil)), at: .epoch)
        #expect(parts(in: created) == ["index.html~1.part"])
    }

    @Test func isNotTakenIfAnotherTransferHasTheFile() throws {
        for survey in [
            foreign(isHeld: true), foreign(isClaimed: true), foreign(length: 0, isClaimed: true),
        ] {
            var machine = try machine()
            _ = machine.handle(.begin, at: .epoch)
            let actions = machine.handle(.surveyed(survey), at: .epoch)
            guard case .finish(.failed(let problem), _)? = actions.last else {
                Issue.record("\(actions)")
                continue
            }
            #expect(problem.failure.code == .destinationExists)
        }
    }

    /// Its bytes were in the file that is gone.
    @Test func isNotTakenForAFileThatWasReplaced() throws {
        var progress = DownloadProgress()
        progress.part = PartFileClaim(
            name: FileName.fallback.partName,
            identity: Self.mine,
            boot: DownloadScenario.boot
        )
        var machine = try machine(from: progress)
        _ = machine.handle(.begin, at: .epoch)
        let actions = machine.handle(.surveyed(foreign()), at: .epoch)
        guard case .finish(.failed(let problem), _)? = actions.last else {
            Issue.record("\(actions)")
            return
        }
        #expect(problem.failure.code == .partFileLost)
    }

    @Test func endsWithItsLastNumber() throws {
        var machine = try machine()
        var actions = machine.handle(.begin, at: .epoch)
        var asked = 0
        while parts(in: actions).count == 1, asked < 1000 {
            asked += 1
            actions = machine.handle(.surveyed(foreign()), at: .epoch)
        }
        #expect(asked == Download.mostPartNumber + 1)
        guard case .finish(.failed(let problem), _)? = actions.last else {
            Issue.record("\(actions)")
            return
        }
        #expect(problem.failure.code == .destinationExists)
    }

    @Test func isADifferentOneForEachNumberAndFits() {
        let long = FileName(unchecked: String(repeating: "n", count: 255))
        for name in [FileName.fallback, long] {
            let names = (0...Download.mostPartNumber).map { name.partName($0) }
            #expect(Set(names).count == names.count && names[0] == name.partName)
            #expect(names.allSatisfy { $0.rawValue.utf8.count <= FileName.lengthLimit })
            #expect(names.allSatisfy { $0.rawValue.hasSuffix(".part") })
        }
    }
}

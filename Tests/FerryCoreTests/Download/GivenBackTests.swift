import HTTPTypes
import Testing

@testable import FerryCore

/// Bytes that Ferry did not fetch are never deleted, unless the user asked for that.
@Suite("A file of another tool that is given back")
struct GivenBackTests {
    private typealias Machine = DownloadMachine

    private static let boot = BootID(rawValue: "b")
    private static let place = FilePlace(directory: "/d", name: .fallback)
    private static let identity = FileIdentity(device: 1, inode: 2)
    private static let adoption = PendingAdoption(name: place.name, length: 400)
    private static let mine = FileSurvey.Entry(identity: identity, length: 400, kind: .file)
    private static let first = ConnectionID(rawValue: 1)

    private static func progress(_ adoption: PendingAdoption? = adoption) -> DownloadProgress {
        var progress = DownloadProgress()
        progress.name = place.name
        progress.segments = SegmentMap(having: [0..<400], length: nil)
        progress.part = PartFileClaim(name: place.part, identity: identity, boot: boot)
        progress.part?.adoption = adoption
        return progress
    }

    /// A machine that has taken over the file and has asked the server.
    private static func asking(_ policy: ChangePolicy) throws -> Machine {
        var machine = try Machine.begun(from: progress()) { $0.onChange = policy }
        let taken = machine.handle(.surveyed(FileSurvey(final: mine, part: nil)), at: .epoch)
        #expect(taken == [.adopt(place, identity)])
        _ = machine.handle(.adopted, at: .epoch)
        let opened = machine.handle(.surveyed(FileSurvey(final: nil, part: mine)), at: .epoch)
        #expect(opened == [.openPart(place, identity)])
        _ = machine.handle(.partReady(identity), at: .epoch)
        #expect(machine.progress.part?.adoption == adoption, "the row still says whose file it is")
        return machine
    }

    private static func facts(_ status: Int, _ headers: HTTPFields) -> ResponseFacts {
        ResponseFacts(ResponseHead(status: status, headers: headers, bodyLength: 1000), at: .epoch)
    }

    /// Lets the compared bytes differ.
    private static func comparing(_ machine: inout Machine) -> [DownloadAction] {
        _ = machine.handle(.head(first, facts(206, [.contentRange: "bytes 0-999/1000"])), at: .epoch)
        return machine.handle(.connectionEnded(first, at: 0, .overlapDiffers), at: .epoch)
    }

    private static func isGivenBack(_ actions: [DownloadAction]) -> Bool {
        actions.last == .giveBack(place, identity, adoption)
    }

    @Test("if its bytes are not the server's", arguments: [.fail, .automatic, .keep] as [ChangePolicy])
    func differs(_ policy: ChangePolicy) throws {
        var machine = try Self.asking(policy)
        let actions = Self.comparing(&machine)
        #expect(Self.isGivenBack(actions), "\(actions)")
        guard case .finish(.failed(let problem), let end)? = machine.handle(.partRemoved, at: .epoch).last
        else {
            Issue.record("it does not fail")
            return
        }
        #expect(end.part == nil && end.segments.received == 0 && problem.disposition == .permanent)
        let message = problem.failure.message
        #expect(message.contains("is not the beginning of http://example.com/f"), "\(message)")
        #expect(message.hasSuffix("was deleted.") && !message.contains("has changed"), "\(message)")
    }

    @Test("if the server only sends the whole", arguments: [.fail, .automatic, .keep] as [ChangePolicy])
    func hasNoRanges(_ policy: ChangePolicy) throws {
        var machine = try Self.asking(policy)
        let headers: HTTPFields = [.contentType: "application/octet-stream", .eTag: "\"v1\""]
        var actions = machine.handle(.head(Self.first, Self.facts(200, headers)), at: .epoch)
        if !Self.isGivenBack(actions) {
            actions = machine.handle(.connectionEnded(Self.first, at: 0, .disconnected), at: .epoch)
        }
        #expect(Self.isGivenBack(actions), "\(actions)")
        guard case .finish(.failed(let problem), _)? = machine.handle(.partRemoved, at: .epoch).last else {
            Issue.record("it does not fail")
            return
        }
        let message = problem.failure.message
        #expect(message.contains("sends no ranges") && !message.contains("beginning of"), "\(message)")
    }

    @Test("if the download is cancelled")
    func cancelled() throws {
        var machine = try Self.asking(.automatic)
        _ = machine.handle(.ask(.cancel(keepingPart: false)), at: .epoch)
        let actions = machine.handle(.connectionEnded(Self.first, at: 0, .disconnected), at: .epoch)
        #expect(Self.isGivenBack(actions), "\(actions)")
    }

    @Test("not if the user takes the server's version instead")
    func restarted() throws {
        var machine = try Self.asking(.restart)
        let actions = Self.comparing(&machine)
        #expect(actions.contains(.replacePart(Self.place, Self.identity)), "\(actions)")
        let new = FileIdentity(device: 1, inode: 3)
        _ = machine.handle(.partReady(new), at: .epoch)
        #expect(machine.progress.part?.adoption == nil, "all of the new file was fetched")
    }

    @Test("the file stays where it is while it may still be continued")
    func waits() throws {
        var machine = try Self.asking(.automatic)
        let lost = DownloadEvent.ConnectionEnd.failed(.transient(.connectionLost, "The connection is lost."))
        let actions = machine.handle(.connectionEnded(Self.first, at: nil, lost), at: .epoch)
        #expect(!Self.isGivenBack(actions), "\(actions)")
        #expect(machine.progress.part?.adoption == Self.adoption)
    }

    /// A download that has all bytes, and that is to have another digest.
    private static func whole(
        _ policy: ChangePolicy,
        _ adoption: PendingAdoption,
        _ expected: Checksum
    ) throws -> Download {
        var options = DownloadOptions()
        options.onChange = policy
        options.checksum = expected
        let specification = DownloadSpecification(
            url: try HTTPURL(parsing: "http://example.com/f"),
            destination: .file(directory: "/d", name: place.name),
            options: options
        )
        var progress = progress(adoption)
        progress.segments = SegmentMap(having: [0..<1000], length: 1000)
        return Machine(specification, from: progress, boot: boot, at: .epoch).download
    }

    private static let digests = [1, 2].map {
        Checksum(algorithm: .md5, digest: [UInt8](repeating: $0, count: 16))
    }

    @Test("if its digest is wrong, and the message says what has become of it", arguments: [false, true])
    func wrongDigest(isOfAria2: Bool) throws {
        var adoption = Self.adoption
        let name = try FileName(userGiven: "f.aria2")
        if isOfAria2 { adoption.control = PendingAdoption.Control(name: name, identity: Self.identity) }
        var download = try Self.whole(.automatic, adoption, Self.digests[0])
        guard
            case .fail(let problem) = download.repair(wrongWhole: Self.digests[1], expected: Self.digests[0])
        else {
            Issue.record("it does not fail")
            return
        }
        let message = problem.failure.message
        let end =
            isOfAria2
            ? "Gaps that f.aria2 names may have bytes of the server now." : "is given back as it was."
        #expect(message.hasSuffix(end) && !message.contains("not saved"), "\(message)")
        #expect(problem.failure.remedies == [.restartAdoption, .giveOtherDigest])
    }

    @Test("not if its digest is wrong and the user takes the server's version instead")
    func wrongDigestRestarted() throws {
        var download = try Self.whole(.restart, Self.adoption, Self.digests[0])
        let repair = download.repair(wrongWhole: Self.digests[1], expected: Self.digests[0])
        guard case .replace(let note, without: []) = repair else {
            Issue.record("\(repair)")
            return
        }
        #expect(note.code == .startedOver)
        // A file that Ferry has fetched anew is not fetched without end.
        download.progress.part?.adoption = nil
        guard case .fail = download.repair(wrongWhole: Self.digests[1], expected: Self.digests[0]) else {
            Issue.record("it starts over once more")
            return
        }
    }

    @Test("the bytes of Ferry are cut off, except where a control file names no whole piece")
    func cut() {
        let control = PendingAdoption.Control(name: .fallback, identity: Self.identity)
        #expect(PendingAdoption(length: 400).cut == 400 && PendingAdoption().cut == nil)
        #expect(PendingAdoption(control: control, length: 400).cut == 400)
        #expect(PendingAdoption(control: control, length: 0).cut == nil)
        #expect(PendingAdoption().hasBytes && !PendingAdoption(length: 0).hasBytes)
    }
}

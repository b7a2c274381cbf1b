import HTTPTypes
import Testing

@testable import FerryCore

/// A new part file has no name before the claim on it is recorded, so that a crash never leaves a file that nobody
/// claims (I6).
@Suite("The name of a new part file")
struct PartNamingTests {
    private typealias Machine = DownloadMachine
    private static let identity = FileIdentity(device: 1, inode: 2)
    private static let first = Machine.ConnectionID(rawValue: 1)

    /// A machine whose part file was just created, and what it ordered then.
    private func created() throws -> (Machine, [Machine.Action]) {
        let specification = DownloadSpecification(
            url: try HTTPURL(parsing: "http://example.com/f"),
            destination: .file(directory: "/d", name: .fallback)
        )
        var machine = Machine(specification, from: Checkpoint(), boot: BootID(rawValue: "b"), at: .epoch)
        _ = machine.handle(.begin, at: .epoch)
        _ = machine.handle(.surveyed(FileSurvey(final: nil, part: nil)), at: .epoch)
        let head = ResponseHead(status: 200, headers: [.eTag: "\"v1\""], bodyLength: 1000)
        _ = machine.handle(.head(Self.first, ResponseFacts(head, at: .epoch)), at: .epoch)
        return (machine, machine.handle(.partReady(Self.identity), at: .epoch))
    }

    @Test func isTakenOnlyAfterTheClaimIsRecordedToSurvivePowerLoss() throws {
        var (machine, actions) = try created()
        guard case .record(let checkpoint, .power)? = actions.first, actions.count == 2 else {
            Issue.record("\(actions)")
            return
        }
        #expect(checkpoint.part?.identity == Self.identity && actions.last == .namePart)
        #expect(machine.handle(.partNamed, at: .epoch) == [.reserve(1000)])
        let reserved = machine.handle(.reserved, at: .epoch)
        #expect(reserved.contains(.receive(Self.first, at: 0, limit: 1000, comparing: 0)))
    }

    @Test func thatSomebodyTookMeanwhileLeavesNoClaim() throws {
        var (machine, _) = try created()
        let taken = Problem.permanent(.destinationExists, "It is there.")
        let actions = machine.handle(.storageFailed(.name, taken), at: .epoch)
        guard case .record(let checkpoint, _)? = actions.first else {
            Issue.record("\(actions)")
            return
        }
        #expect(checkpoint.part == nil && checkpoint.segments == SegmentMap(length: nil))
        let end = machine.handle(.connectionEnded(Self.first, at: nil, .disconnected), at: .epoch)
        guard case .finish(.failed(let problem), _)? = end.last else {
            Issue.record("\(end)")
            return
        }
        #expect(problem == taken)
    }

    @Test(arguments: [DownloadMachine.Ending.pause, .cancel(keepingPart: false), .release])
    func anEndAskedForMeanwhileIsObeyed(_ ending: DownloadMachine.Ending) throws {
        var (machine, _) = try created()
        _ = machine.handle(.ask(ending), at: .epoch)
        let actions =
            machine.handle(.partNamed, at: .epoch) + machine.handle(.reserved, at: .epoch)
            + machine.handle(.connectionEnded(Self.first, at: nil, .disconnected), at: .epoch)
        #expect(!actions.contains { if case .receive = $0 { true } else { false } })
        #expect(machine.stage == .stopping || machine.stage == .ended)
    }
}

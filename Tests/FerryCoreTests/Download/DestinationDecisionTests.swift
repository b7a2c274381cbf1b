import HTTPTypes
import Testing

@testable import FerryCore

/// A machine does what `DestinationTable` says, so that a preview by the table is right.
@Suite("A download whose name is taken")
struct DestinationDecisionTests {
    /// What the decision depends on.
    struct Situation: Hashable, Sendable {
        var kind: FileSurvey.Kind?
        var isNamed: Bool
        var saved: DestinationTable.Saved
        var policy: ExistingFilePolicy
        var updates: Bool
        var isProvable = false

        var decision: DestinationTable.Decision {
            DestinationTable.decide(
                kind,
                isNamed: isNamed,
                saved,
                policy: policy,
                updates: updates,
                isProvable: isProvable
            )
        }
    }

    static let situations: [Situation] = {
        var kinds: [FileSurvey.Kind?] = [nil]
        for kind in FileSurvey.Kind.allCases { kinds.append(kind) }
        var situations: [Situation] = []
        for kind in kinds {
            for isNamed in [true, false] {
                for saved in DestinationTable.Saved.allCases {
                    for policy in ExistingFilePolicy.allCases {
                        for (updates, isProvable) in [
                            (true, true), (true, false), (false, true), (false, false),
                        ] {
                            situations.append(
                                Situation(
                                    kind: kind,
                                    isNamed: isNamed,
                                    saved: saved,
                                    policy: policy,
                                    updates: updates,
                                    isProvable: isProvable
                                )
                            )
                        }
                    }
                }
            }
        }
        return situations
    }()

    private static let place = FilePlace(directory: "/d", name: .fallback)
    private static let identity = FileIdentity(device: 1, inode: 5, birth: 3)
    private static let boot = BootID(rawValue: "b")
    private static let digest = Checksum(algorithm: .sha256, digest: [UInt8](repeating: 7, count: 32))

    /// The record of an earlier transfer that saved a file of 6 bytes.
    private static func record() throws -> SavedVersion {
        var progress = DownloadProgress()
        progress.name = place.name
        progress.part = PartFileClaim(name: place.part, identity: identity, boot: boot, modified: 40)
        progress.segments = try #require(
            SegmentMap(segments: [Segment(range: 0..<6, written: 6, durable: 6)])
        )
        progress.phase = .publishing
        progress.validator = Validator([.eTag: "\"a\""], receivedAt: .epoch)
        return try #require(SavedVersion(progress, isAccepted: true))
    }

    /// A new attempt. A device that the user named is a stream.
    private static func attempt(_ situation: Situation) throws -> DownloadMachine {
        var options = DownloadOptions()
        options.existingFile = situation.policy
        options.updates = situation.updates
        if situation.isProvable { options.checksum = digest }
        var progress = DownloadProgress()
        var destination = Destination.stream(path: place.path)
        if situation.kind != .stream || !situation.isNamed {
            destination = .file(directory: place.directory, name: situation.isNamed ? place.name : nil)
            progress.name = place.name
            if situation.saved != .unrecorded { progress.saved = try record() }
        }
        let specification = DownloadSpecification(
            url: try HTTPURL(parsing: "http://example.com/f"),
            destination: destination,
            options: options
        )
        return DownloadMachine(specification, from: progress, boot: boot, smallLength: 0, at: .epoch)
    }

    private static func survey(_ situation: Situation) -> FileSurvey {
        let modified: Int64 = situation.saved == .changed ? 41 : 40
        let entry = situation.kind.map {
            FileSurvey.Entry(identity: identity, length: 6, kind: $0, modified: modified)
        }
        return FileSurvey(final: entry, part: nil)
    }

    /// Lets another version arrive. Returns whether it replaces a file when it is published.
    private static func publication(
        _ situation: Situation,
        over id: ConnectionID,
        by machine: inout DownloadMachine
    ) -> Bool? {
        let events: [DownloadEvent] = [
            .head(id, ResponseFacts(200, tag: "\"b\"", length: 9)),
            .partReady(FileIdentity(device: 1, inode: 8, birth: 9), isNamed: false), .partNamed, .reserved,
            .connectionEnded(id, at: 9, .complete), .trimmed, .digested(digest), .synchronized,
            .surveyed(survey(situation)),
        ]
        for event in events {
            for case .publish(_, replacing: let replaces, dated: _) in machine.handle(event, at: .epoch) {
                return replaces
            }
        }
        return nil
    }

    /// Whether a machine accepts the file that it compares, with this flaw.
    private static func accepts(_ flaw: FileFlaw?, _ machine: DownloadMachine) -> Bool? {
        var machine = machine
        switch machine.handle(.inspected(flaw), at: .epoch).last {
        case .finish(.completed, let progress)? where progress.note?.code == .fileKept: return true
        case .finish(.failed(let problem), _)? where problem.failure.code == .checksumMismatch: return false
        default: return nil
        }
    }

    /// What a machine does.
    private static func observed(_ situation: Situation) throws -> DestinationTable.Decision? {
        var machine = try attempt(situation)
        var actions = machine.handle(.begin, at: .epoch)
        if actions == [.survey(place)] {
            actions = machine.handle(.surveyed(survey(situation)), at: .epoch)
        }
        for action in actions {
            switch action {
            case .survey(let next, _):
                return next == place ? nil : .number
            case .inspect:
                let other = Checksum(algorithm: .sha256, digest: [UInt8](repeating: 8, count: 32))
                let flaw = FileFlaw.digest(other, expected: digest)
                guard accepts(nil, machine) == true, accepts(flaw, machine) == false else { return nil }
                return situation.policy == .noClobber ? .skip : .verify
            case .finish(.completed, let progress):
                return progress.note?.code == .fileKept ? .skip : nil
            case .finish(.failed(let problem), _):
                let code = problem.failure.code
                return code == (situation.kind == .file ? .destinationExists : .cannotCreate) ? .fail : nil
            case .connect(_, let request) where request.unless != nil:
                return .update
            case .connect(let id, _):
                if machine.specification.isStream { return .write }
                let replaces = publication(situation, over: id, by: &machine)
                guard situation.kind == nil else { return replaces == true ? .replace : nil }
                return replaces == (situation.policy == .overwrite) ? .create : nil
            default:
                continue
            }
        }
        return nil
    }

    @Test("is downloaded, or not, as the table says", arguments: situations)
    func theTableIsFollowed(situation: Situation) throws {
        #expect(try Self.observed(situation) == situation.decision)
    }

    @Test("replaces an unchanged saved file only by another version, whatever the policy")
    func updates() throws {
        for policy in ExistingFilePolicy.allCases {
            for hasAnother in [true, false] {
                let situation = Situation(
                    kind: .file,
                    isNamed: true,
                    saved: .unchanged,
                    policy: policy,
                    updates: true
                )
                var machine = try Self.attempt(situation)
                _ = machine.handle(.begin, at: .epoch)
                let begun = machine.handle(.surveyed(Self.survey(situation)), at: .epoch)
                guard case .connect(let id, _)? = begun.last else {
                    Issue.record("the server is not asked: \(begun)")
                    continue
                }
                if hasAnother {
                    #expect(Self.publication(situation, over: id, by: &machine) == true, "\(policy)")
                    continue
                }
                var actions = machine.handle(
                    .head(id, ResponseFacts(304, tag: "\"a\"", length: nil)),
                    at: .epoch
                )
                actions += machine.handle(.connectionEnded(id, at: nil, .disconnected), at: .epoch)
                guard case .finish(.completed, let progress)? = actions.last else {
                    Issue.record("the saved version does not complete the download: \(actions)")
                    continue
                }
                #expect(progress.note?.code == .upToDate, "\(policy)")
            }
        }
    }
}

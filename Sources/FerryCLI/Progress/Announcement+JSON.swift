import Ferry
import FerryFrontend

extension Announcement {
    /// The event as `--json` prints it.
    func json(owners: OwnerDirectory) -> JSON {
        let members: [JSON.Member]
        switch news {
        case .added, .attached, .state:
            members =
                TransferRecord.full(transfer, progress, owners: owners, command: command)
                + (heldBy.map { [.init(name: "heldBy", value: .int($0.rawValue))] } ?? [])
                + (proof.map { [.init(name: "verified", value: .string($0.digest.text))] } ?? [])
        case .note(let note):
            members = TransferRecord.brief(transfer, progress) + TransferRecord.note(note)
        case .progress:
            members =
                TransferRecord.brief(transfer, progress) + [
                    .init(name: "bytesPerSecond", value: .optional(progress.bytesPerSecond.map(Self.whole))),
                    .init(
                        name: "secondsLeft",
                        value: .optional(progress.timeLeft.map { $0.components.seconds })
                    ),
                ]
        }
        return .object([.init(name: "event", value: .string(eventName))] + members)
    }

    private var eventName: String {
        switch news {
        case .added: "added"
        case .attached: "attached"
        case .note: "note"
        case .progress: "progress"
        case .state: "state"
        }
    }

    private static func whole(_ number: Double) -> Int64 {
        number.isFinite ? Int64(min(max(0, number), 9e18)) : 0
    }
}

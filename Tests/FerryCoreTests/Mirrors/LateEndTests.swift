import FerryTesting
import HTTPTypes
import Testing

@testable import FerryCore

/// A connection whose answer is of no use is cut, and its end comes whenever it likes: while another source answers, while
/// its file is made, or while its bytes come.
@Suite("The end of a connection that was dismissed")
struct LateEndTests {
    private typealias Machine = DownloadMachine
    private static let first = ConnectionID(rawValue: 1)
    private static let second = ConnectionID(rawValue: 2)

    /// What is left to happen after the first source had nothing, until the file of the second has its name.
    private static func events(isNamed: Bool, isSmall: Bool) -> [DownloadEvent] {
        let length: Int64 = isSmall ? 1000 : Machine.smallLength
        let head = ResponseHead(status: 200, headers: [.eTag: "\"v1\""], bodyLength: length)
        let opening: [DownloadEvent] = [
            .head(second, ResponseFacts(head, at: .epoch)),
            .surveyed(FileSurvey(final: nil, part: nil)),
            .partReady(FileIdentity(device: 1, inode: 2), isNamed: isNamed),
        ]
        let naming: [DownloadEvent] = isNamed || !isSmall ? [.partNamed, .reserved] : []
        let ending: [DownloadEvent] = [.connectionEnded(second, at: length, .complete)]
        let trimming: [DownloadEvent] = isNamed || !isSmall ? [.trimmed] : []
        return opening + naming + ending + trimming + [.synchronized, .published(modified: nil)]
    }

    /// A download whose first source has said that it has nothing, so that the second is asked.
    private func refused(isProposed: Bool) throws -> Machine {
        let destination = Destination.file(directory: "/d", name: isProposed ? nil : .fallback)
        var machine = try Machine.begun(to: destination) {
            $0.mirrors = [try HTTPURL(parsing: "http://mirror.example/f")]
        }
        if !isProposed { _ = machine.handle(.surveyed(FileSurvey(final: nil, part: nil)), at: .epoch) }
        let nothing = ResponseFacts(ResponseHead(status: 404, headers: [:], bodyLength: 0), at: .epoch)
        let actions = machine.handle(.head(Self.first, nothing), at: .epoch)
        try #require(actions.contains(.disconnect(Self.first)))
        try #require(actions.contains { if case .connect(Self.second, _) = $0 { true } else { false } })
        return machine
    }

    @Test(arguments: [true, false], [true, false])
    func meansNothingWheneverItComes(isNamed: Bool, isSmall: Bool) throws {
        for isProposed in [true, false] {
            var events = Self.events(isNamed: isNamed, isSmall: isSmall)
            if !isProposed { events.remove(at: 1) }
            for moment in events.indices {
                var machine = try refused(isProposed: isProposed)
                var actions: [DownloadAction] = []
                for (index, event) in events.enumerated() {
                    if index == moment {
                        let late = DownloadEvent.connectionEnded(Self.first, at: nil, .disconnected)
                        #expect(machine.handle(late, at: .epoch) == [])
                    }
                    actions = machine.handle(event, at: .epoch)
                }
                guard case .finish(.completed, _)? = actions.last else {
                    Issue.record("moment \(moment), a proposed name \(isProposed): \(actions)")
                    continue
                }
            }
        }
    }
}

import FerryTesting
import HTTPTypes
import Testing

@testable import FerryCore

/// A file that gets the server's time (`DownloadOptions.keepsServerTime`).
@Suite("The server's time")
struct ServerTimeTests {
    private static let place = FilePlace(directory: "/d", name: FileName(unchecked: "f.bin"))
    private static let date = "Tue, 15 Nov 1994 12:45:26 GMT"
    private static let moment = Instant(seconds: 784_903_526)

    /// A machine whose file is whole, verified and published, up to the order to publish.
    private func publishing(
        _ lastModified: String?,
        keeps: Bool = true
    ) throws -> (machine: DownloadMachine, order: DownloadAction) {
        var options = DownloadOptions()
        options.keepsServerTime = keeps
        let specification = DownloadSpecification(
            url: try HTTPURL(parsing: "http://example.com/f.bin"),
            destination: .file(directory: "/d", name: Self.place.name),
            options: options
        )
        let first = ConnectionID(rawValue: 1)
        var fields: HTTPFields = [.eTag: "\"v1\""]
        fields[.lastModified] = lastModified
        let head = ResponseHead(status: 200, headers: fields, bodyLength: 9)
        var machine = DownloadMachine(
            specification,
            from: DownloadProgress(),
            boot: DownloadScenario.boot,
            at: .epoch
        )
        var actions: [DownloadAction] = []
        for event in [
            DownloadEvent.begin, .surveyed(FileSurvey(final: nil, part: nil)),
            .head(first, ResponseFacts(head, at: .epoch)),
            .partReady(DownloadScenario.identity, isNamed: false), .connectionEnded(first, at: 9, .complete),
            .synchronized,
        ] {
            actions = machine.handle(event, at: .epoch)
        }
        return (machine, try #require(actions.last))
    }

    @Test("is the file's if that is asked for and the server gives a date")
    func isKept() throws {
        #expect(
            try publishing(Self.date).order
                == .publish(Self.place.name, replacing: false, dated: Self.moment)
        )
        for (date, keeps) in [(Self.date, false), (nil, true)] {
            let order = try publishing(date, keeps: keeps).order
            #expect(order == .publish(Self.place.name, replacing: false), "\(order)")
        }
    }

    @Test(
        "is any date from 1970 on that a file can have, also one in the future",
        arguments: [
            ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Wed, 31 Dec 1969 23:59:59 GMT", nil),
            ("Fri, 01 Jan 2100 00:00:00 GMT", 4_102_444_800), ("Fri, 31 Dec 9999 23:59:59 GMT", nil),
            ("Thu, 30 Feb 2012 00:00:00 GMT", nil), ("yesterday", nil), ("0", nil),
        ] as [(String, Int64?)]
    )
    func isADate(_ text: String, _ seconds: Int64?) throws {
        let dated = seconds.map { Instant(seconds: $0) }
        #expect(try publishing(text).order == .publish(Self.place.name, replacing: false, dated: dated))
    }

    private func note(_ actions: [DownloadAction]) -> TransferNote.Code? {
        for case .note(let note) in actions { return note.code }
        return nil
    }

    @Test("a file system that does not take it is told of")
    func isNotTaken() throws {
        let nanoseconds = Self.moment.milliseconds * 1_000_000
        for (modified, code) in [
            (nanoseconds, nil), (nanoseconds - 1_000_000_000, nil), (nil, nil),
            (nanoseconds + 60_000_000_000, .timeNotKept), (0, .timeNotKept),
        ] as [(Int64?, TransferNote.Code?)] {
            var (machine, _) = try publishing(Self.date)
            let actions = machine.handle(.published(modified: modified), at: .epoch)
            #expect(note(actions) == code)
            guard case .finish(.completed, let progress)? = actions.last else {
                Issue.record("\(actions)")
                continue
            }
            #expect(progress.part?.modified == modified, "the time that the file has is what a touch changes")
        }
        var (plain, _) = try publishing(Self.date, keeps: false)
        #expect(note(plain.handle(.published(modified: 0), at: .epoch)) == nil)
    }
}

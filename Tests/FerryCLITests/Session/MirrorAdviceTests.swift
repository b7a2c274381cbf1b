import ArgumentParser
import Ferry
import Testing

@testable import FerryCLI
@testable import FerryFrontend

@Suite("What is told of mirrors without a digest")
struct MirrorAdviceTests {
    private static let line = [
        "https://example.org/a.iso", "--mirror", "https://b.example/a.iso",
    ]

    private let plan: DownloadPlan
    private let asked: [PlannedDownload]

    init() throws {
        plan = try DownloadPlan(GetCommand.parse(Self.line).input.download, environment: Sample.environment)
        asked = try plan.transfers
    }

    @Test("it is told once, when a download with mirrors begins")
    func once() throws {
        var advice = MirrorAdvice()
        let added = Addition.added(try Sample.transfer(state: .queued))
        let (first, second) = (advice.note(asked, [added], of: plan), advice.note(asked, [added], of: plan))
        #expect(first?.hasPrefix("Without a digest, ferry uses several servers at once only if each") == true)
        #expect(second == nil)
    }

    @Test("it is not told of a download that is resumed or complete, or has no mirrors")
    func notAgain() throws {
        let additions: [Addition] = [
            .attached(try Sample.transfer(state: .queued)), .revived(try Sample.transfer(state: .queued)),
            .attached(try Sample.transfer(state: .completed, received: 9, length: 9)),
        ]
        var advice = MirrorAdvice()
        for addition in additions {
            let told = advice.note(asked, [addition], of: plan)
            #expect(told == nil)
        }
        let added = Addition.added(try Sample.transfer(state: .queued))
        var plain = asked
        plain[0].specification.options.mirrors = []
        let ofNone = advice.note(plain, [added], of: plan)
        #expect(ofNone == nil)
        let ofSome = advice.note(asked, [added], of: plan)
        #expect(ofSome != nil)
    }
}

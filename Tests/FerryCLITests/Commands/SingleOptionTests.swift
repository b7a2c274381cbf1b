import FerryFrontend
import Testing

@testable import FerryCLI

@Suite("Options that are given once")
struct SingleOptionTests {
    @Test(
        arguments: [
            (["get", "-o", "one", "-o", "two", "https://h/a"], "-o", "-o '{n:03}-{name}'"),
            (["get", "-oone", "--output=two", "https://h/a"], "-o", "out=FILE"),
            (["add", "--output", "one", "https://h/a", "-so-"], "--output", "out=FILE"),
            (["seal", "a", "--to", "age1x", "-o", "b", "-o", "c"], "-o", "repeat the command for each file"),
            (["list", "--tag", "a", "--tag", "b"], "--tag", "Repeat the command for each tag."),
            (["-q", "cancel", "--tag=a", "--tag=a"], "--tag", "Repeat the command for each tag."),
            (["pause", "--queue", "a", "--queue", "b"], "--queue", "Repeat the command for each queue."),
            (["put", "a", "https://h/", "--tag", "a", "--tag", "b"], "--tag", "a transfer has one tag"),
            (["edit", "1", "--queue", "a", "--queue", "b"], "--queue", "a transfer is in one queue"),
        ]
    )
    func aSecondOneIsRefused(_ words: [String], _ option: String, _ hint: String) {
        do {
            _ = try Invocation.arranged(words)
            Issue.record("\(words) was accepted")
        } catch let failure as CommandFailure {
            #expect(failure.status == .usage)
            #expect(failure.message == "\(option) is given more than once; nothing was done.")
            #expect(failure.hint?.contains(hint) == true)
        } catch {
            Issue.record(error)
        }
    }

    @Test(
        arguments: [
            ["get", "-o", "one", "--tag", "a", "--queue", "b", "https://h/a"],
            // The first two are values.
            ["get", "-H", "--tag", "-d", "--tag", "https://h/a", "--tag", "a"],
            ["get", "-o", "-o", "https://h/a"], ["get", "-o", "a", "--", "-o", "-o"],
            // The parser says that it does not have this option.
            ["show", "1", "--tag", "a", "--tag", "b"],
            ["list", "--state", "failed", "--state", "paused"], ["get", "--after", "1", "--after", "2"],
        ]
    )
    func oneOfEachIsLeftToTheParser(_ words: [String]) throws {
        #expect(try Invocation.arranged(words) == words)
    }

    @Test(
        arguments: [
            ["get", "-o", "one", "-o", "two", "https://h/a"],
            ["add", "https://h/a", "-o", "a", "--output", "b"],
        ]
    )
    func aLineThatRepeatsOneIsNotReadQuickly(_ words: [String]) {
        #expect(QuickLine.read(words) == nil)
    }
}

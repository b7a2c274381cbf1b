import Ferry
import Testing

@testable import FerryCLI
@testable import FerryFrontend

/// What `ferry resume` asks, and what it takes an answer for.
@Suite struct ResumableTransfersTests {
    private func resumable(_ count: Int64) throws -> ResumableTransfers {
        ResumableTransfers(try (1...count).map { try Sample.transfer(id: $0) })
    }

    @Test func theQuestionCountsWhatIsLeft() throws {
        let one = try Sample.transfer(id: 1, received: 1 << 30, length: 4 << 30)
        let other = try Sample.transfer(id: 2)
        func question(_ transfers: Transfer...) -> String {
            ResumableTransfers(transfers).question(columns: 80)
        }
        #expect(question(one) == "Resume 1 unfinished transfer (3.0 GiB left)? [Y/n]")
        #expect(
            question(one, other) == "Resume 2 unfinished transfers (at least 3.0 GiB left)? [Y/n, or IDs]"
        )
        #expect(question(other) == "Resume 1 unfinished transfer? [Y/n]")
    }

    @Test("on a narrow terminal the answers stay together")
    func narrow() throws {
        let transfers = [
            try Sample.transfer(id: 1, received: 1 << 30, length: 4 << 30), try Sample.transfer(id: 2),
        ]
        let lines = ResumableTransfers(transfers).question(columns: 58).split(separator: "\n")
        #expect(
            lines == ["Resume 2 unfinished transfers (at least 3.0 GiB left)?", "       [Y/n, or IDs]"]
        )
    }

    @Test(arguments: [
        ("", [1, 2, 3]), ("Y", [1, 2, 3]), (" yes ", [1, 2, 3]), ("n", []), ("No", []), ("2", [2]),
        ("3, 1", [3, 1]),
    ])
    func anAnswerChooses(_ answer: String, _ expected: [Int64]) throws {
        let chosen = try resumable(3).chosen(by: answer)
        #expect(chosen?.map(\.rawValue) == expected)
    }

    @Test("after any other answer it asks again", arguments: ["4", "1 4", "yep", "a", "1 y", "-1", "1.5"])
    func asksAgain(_ answer: String) async throws {
        let resumable = try resumable(3)
        #expect(resumable.chosen(by: answer) == nil)
        var answers = [answer, "2"]
        var told: [String?] = []
        let chosen = await resumable.chosen { help in
            told.append(help)
            return answers.removeFirst()
        }
        #expect(chosen.map(\.rawValue) == [2])
        let help =
            "Type y to resume all of them, n to resume nothing, or IDs of the listed transfers, such as 1."
        #expect(told == [nil, help])
    }

    @Test("the end of the input chooses nothing")
    func ends() async throws {
        var answers: [String?] = ["what", nil]
        let one = try resumable(1)
        let chosen = await one.chosen { _ in answers.removeFirst() }
        #expect(chosen.isEmpty && answers.isEmpty)
        #expect(one.help == "Type y to resume it, n to resume nothing.")
    }
}

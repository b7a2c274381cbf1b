import Testing

@testable import FerryIO

@Suite struct ProcessStatusTests {
    private func line(
        _ name: String,
        state: String = "S",
        threads: Int = 1,
        start: UInt64 = 987_654_321
    ) -> [UInt8] {
        Array(
            "4242 (\(name)) \(state) 1 4242 4242 0 -1 4194560 1 0 0 0 5 6 0 0 20 0 \(threads) 0 \(start) 1 2 3\n"
                .utf8
        )
    }

    @Test(arguments: ["ferry", "a b", "a) S 1 2 3", "(((", ")))", "x\ny", ") Z 9 9", "", "4242 (ferry) R"])
    func readsPastAnyName(_ name: String) {
        let status = ProcessStatus(parsing: line(name))
        #expect(status?.startTime == 987_654_321)
        #expect(status?.state == UInt8(ascii: "S"))
        #expect(status?.isRunning == true)
    }

    @Test func takesAZombieForDeadUnlessOtherThreadsRun() {
        #expect(ProcessStatus(parsing: line("x", state: "Z"))?.isRunning == false)
        #expect(ProcessStatus(parsing: line("x", state: "X"))?.isRunning == false)
        #expect(ProcessStatus(parsing: line("x", state: "Z", threads: 3))?.isRunning == true)
        #expect(ProcessStatus(parsing: line("x", state: "T"))?.isRunning == true)
    }

    @Test(arguments: [
        "", "4242", "4242 (x", "4242 (x) S 1 2", "4242 (x) S 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 1 0 no",
    ])
    func refusesWhatIsNoStatus(_ text: String) {
        #expect(ProcessStatus(parsing: Array(text.utf8)) == nil)
    }
}

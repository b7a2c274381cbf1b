import FerryCore
import Testing

@testable import FerryUploads

/// What holds for an upload by every protocol, whatever happens under way.
struct UploadMachineTests {
    typealias Pair = UploadConformanceTests.Pair

    private func driver(_ pair: Pair, _ length: Int, versions: Int = 1) throws -> MachineDriver {
        let files = (0..<versions).map { version in
            (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 5 &+ version) }
        }
        var driver = try MachineDriver(pair.uploads, to: pair.server, files, partSize: pair.partSize)
        if pair == .ietfByPost { driver.work.specification.method = .post }
        return driver
    }

    /// An upload is completed with the whole file, or its outcome is said to be unknown.
    private func expectRight(_ driver: MachineDriver, _ outcome: AttemptOutcome, _ comment: String) {
        switch outcome {
        case .completed: #expect(driver.server.object == driver.versions[0], "\(comment)")
        case .failed(let problem) where problem.failure.code == .outcomeUnknown:
            #expect(driver.server.object == nil || driver.server.object == driver.versions[0], "\(comment)")
        default: Issue.record("\(comment): \(outcome)")
        }
    }

    @Test(arguments: Pair.allCases)
    func filesOfEveryLengthArrive(_ pair: Pair) throws {
        for length in pair.lengths {
            var driver = try driver(pair, length)
            let outcome = driver.run()
            #expect(outcome == .completed, "\(length) bytes")
            #expect(driver.server.object == driver.versions[0], "\(length) bytes")
            #expect(driver.server.openUploads == 0)
        }
    }

    @Test(arguments: Pair.allCases)
    func everyFaultAtEveryExchangeIsSurvived(_ pair: Pair) throws {
        var whole = try driver(pair, pair.lengths[4])
        _ = whole.run()
        for number in 0..<whole.exchanges + 2 {
            for fault in [
                UploadDriver.Fault.lost(number), .dropped(number), .cut(number), .busy(number),
                .forgotten(number),
                .shrunk(number),
            ] {
                var driver = try driver(pair, pair.lengths[4])
                driver.faults = [fault]
                let outcome = driver.run()
                expectRight(driver, outcome, "\(fault)")
            }
        }
    }

    @Test(arguments: Pair.allCases)
    func aKillAtEveryMomentIsSurvived(_ pair: Pair) throws {
        var whole = try driver(pair, pair.lengths[4])
        _ = whole.run()
        for number in 0..<whole.exchanges {
            var driver = try driver(pair, pair.lengths[4])
            driver.killedAtExchange = number
            let outcome = driver.run()
            expectRight(driver, outcome, "killed when exchange \(number) was sent")
        }
        for number in 1...whole.records {
            var driver = try driver(pair, pair.lengths[4])
            driver.killedAtRecord = number
            let outcome = driver.run()
            expectRight(driver, outcome, "killed after record \(number)")
        }
    }

    @Test(arguments: Pair.allCases)
    func aChangedFileIsNeverMixed(_ pair: Pair) throws {
        for startsOver in [false, true] {
            var driver = try driver(pair, pair.lengths[4], versions: 2)
            driver.work.specification.startsOverOnChange = startsOver
            // A whole file in one request is looked at once.
            let outcome = driver.run()
            switch outcome {
            case .completed:
                #expect(driver.versions.contains(driver.server.object ?? []))
            case .failed(let problem):
                #expect(!startsOver && problem.failure.code == .bodyChanged, "\(problem)")
                #expect(driver.server.object == nil && driver.server.openUploads == 0)
            default: Issue.record("\(outcome)")
            }
        }
    }

    /// An attempt gives a file up that changes again and again; a later one sends it as it is then.
    @Test func aFileThatKeepsChangingIsLeftToTheNextAttempt() throws {
        var failed = 0
        for pair in Pair.allCases {
            var driver = try driver(pair, pair.lengths[4], versions: 9)
            driver.work.specification.startsOverOnChange = true
            if case .outcome(.failed(let problem)) = driver.attempt() {
                failed += 1
                #expect(problem.failure.code == .bodyChanged, "\(pair): \(problem)")
                #expect(problem.disposition == .transient(retryAfter: nil), "\(pair): \(problem)")
                #expect(driver.server.object == nil && driver.server.openUploads == 0, "\(pair)")
            }
            // A whole file in one request is looked at once, and has been sent.
            #expect(driver.run() == .completed, "\(pair)")
            #expect(driver.versions.contains(driver.server.object ?? []), "\(pair)")
        }
        #expect(failed > 0)
    }

    @Test(arguments: Pair.allCases)
    func aCancelledUploadLeavesNothingAtTheServer(_ pair: Pair) throws {
        var whole = try driver(pair, pair.lengths[4])
        _ = whole.run()
        for number in 0..<whole.exchanges {
            var driver = try driver(pair, pair.lengths[4])
            driver.order = (number, .cancel(keepingPart: false))
            let outcome = driver.run()
            guard outcome == .cancelled else {
                #expect(outcome == .completed && driver.server.object == driver.versions[0], "\(outcome)")
                continue
            }
            #expect(driver.server.openUploads == 0, "cancelled at exchange \(number)")
        }
    }
}

import FerryCore
import FerryTesting
import Foundation
import NIOConcurrencyHelpers
import Testing

@testable import FerryIO

/// Raw bytes in, one outcome out: no trap, no hang, nothing that is not classified.
///
/// The suite plays a few hundred exchanges. `scripts/fuzz SECONDS transport` plays random ones for as long as it is told,
/// and `scripts/fuzz --recorded COUNT` as many recorded ones as it is told.
@Suite("Any bytes of a peer", .timeLimit(.minutes(10)))
struct TransportFuzzTests {
    private static let exchanges =
        ProcessInfo.processInfo.environment["FERRY_RECORDED_EXCHANGES"].flatMap(UInt64.init)
    private static let first = ProcessInfo.processInfo.environment["FERRY_FUZZ_SEED"].flatMap(UInt64.init)
    private static let trace = ProcessInfo.processInfo.environment["FERRY_FUZZ_TRACE"]

    @Test func endInOneOutcome() async throws {
        let seeds = Seeds(0..<400)
        let tally = try await withTransport { transport in
            try await RawTrial(transport, patience: .seconds(2)).play(workers: 32, trace: nil) {
                seeds.next()
            }
        }
        #expect(tally.executions == 400)
        #expect(tally.findings == [])
        #expect(tally.answers > 0)
        // How many kinds there are depends on which exchanges a busy machine lets run into their time limits.
        #expect(tally.problems.count > 1)
    }

    @Test func damageToRealAnswersIsNeverReadOtherwise() async throws {
        let (first, count) = (Self.first ?? 0, Self.exchanges ?? 400)
        let seeds = Seeds(first..<(first + count))
        let answers = try RecordedAnswers()
        let tally = try await withTransport { transport in
            try await RawTrial(transport).play(workers: 16, trace: Self.trace.map { URL(filePath: $0) }) {
                seeds.next()
            } of: {
                answers.exchange(seed: $0)
            }
        }
        #expect(UInt64(tally.executions) == count)
        #expect(tally.findings == [])
        guard Self.exchanges != nil else {
            #expect(tally.bodies > tally.executions / 4)
            #expect(tally.problems.count > 1)
            return
        }
        print("fuzz: \(tally.executions) recorded exchanges, \(tally.bodies) whole bodies, \(tally.problems)")
    }

    @Test func realAnswersAreRead() async throws {
        let answers = try RecordedAnswers()
        #expect(answers.recordings.count >= 30)
        for recording in answers.recordings {
            let opinion = SecondOpinion(recording.bytes, answeringHead: recording.isHead)
            #expect(opinion.answers.count == 1, "\(recording.name)")
            try await withServer { connection in
                try await connection.readHead()
                try await connection.send(recording.bytes)
                await connection.close()
            } _: { transport, server in
                var request = try TransportRequest.get(server)
                if recording.isHead { request.method = .head }
                let (head, _, bytes) = try await transport.fetch(request)
                #expect(
                    opinion.answers == [SecondOpinion.Answer(status: head.status, body: bytes)],
                    "\(recording.name)"
                )
            }
        }
    }
}

/// For `scripts/fuzz transport`.
@Suite("Any bytes of a peer, for long")
struct LongTransportFuzzTests {
    private static let seconds = ProcessInfo.processInfo.environment["FERRY_FUZZ_SECONDS"].flatMap(Int64.init)
    private static let first = ProcessInfo.processInfo.environment["FERRY_FUZZ_SEED"].flatMap(UInt64.init)
    private static let trace = ProcessInfo.processInfo.environment["FERRY_FUZZ_TRACE"]

    @Test(.enabled(if: Self.seconds != nil))
    func endInOneOutcomeForLong() async throws {
        let seconds = try #require(Self.seconds)
        // One seed is replayed where no time is given.
        let first = Self.first ?? .random(in: 0..<(1 << 62))
        let seeds = Seeds(first..<(seconds == 0 ? first + 1 : .max))
        let end = ContinuousClock.now + .seconds(max(1, seconds))
        let trace = Self.trace.map { URL(filePath: $0) }
        var total = RawTrial.Tally()
        // A transport for each minute at most: what its pools keep for each address goes with it.
        repeat {
            let pause = min(end, .now + .seconds(60))
            let tally = try await withTransport { transport in
                try await RawTrial(transport).play(workers: 64, trace: trace) {
                    seconds == 0 || ContinuousClock.now < pause ? seeds.next() : nil
                }
            }
            total.executions += tally.executions
            total.answers += tally.answers
            total.findings += tally.findings
            total.problems.merge(tally.problems, uniquingKeysWith: +)
            print("fuzz: \(total.executions) executions, \(total.answers) answers, from seed \(first)")
        } while ContinuousClock.now < end && seconds > 0
        print("fuzz: \(total.problems)")
        #expect(total.findings == [])
    }
}

/// Seeds in a row, given out one by one.
private struct Seeds: Sendable {
    private let rest: NIOLockedValueBox<Range<UInt64>>

    init(_ range: Range<UInt64>) {
        rest = NIOLockedValueBox(range)
    }

    func next() -> UInt64? {
        rest.withLockedValue { range in
            guard let seed = range.first else { return nil }
            range = (seed + 1)..<range.upperBound
            return seed
        }
    }
}

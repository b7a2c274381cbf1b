import FerryTesting
import Testing

@testable import FerryCore

@Suite("A race of connections")
struct ConnectionRaceTests {
    private static let start = Instant(milliseconds: 1_000)

    private static func address(_ text: String) throws -> IPAddress { try #require(IPAddress(text)) }

    private static func race(
        _ texts: [String],
        delay: Duration = .milliseconds(250)
    ) throws
        -> ConnectionRace
    {
        var race = ConnectionRace(delay: delay)
        race.add(try texts.map(address), isLast: true)
        return race
    }

    /// The order in which all addresses are tried when each attempt fails.
    private static func order(_ texts: [String]) throws -> [String] {
        var (race, order) = (try race(texts), [String]())
        while case .attempt(let number, let address) = race.next(at: start) {
            #expect(number == order.count)
            order.append(address.description)
            race.failed(number)
        }
        #expect(race.next(at: start) == .failed)
        return order
    }

    @Test("families take turns, and the system's first begins")
    func interleaves() throws {
        #expect(
            try Self.order(["::1", "::2", "::3", "1.1.1.1", "1.1.1.2"])
                == ["::1", "1.1.1.1", "::2", "1.1.1.2", "::3"]
        )
        #expect(try Self.order(["1.1.1.1", "::1", "::2"]) == ["1.1.1.1", "::1", "::2"])
        #expect(try Self.order(["1.1.1.1", "1.1.1.2", "1.1.1.1"]) == ["1.1.1.1", "1.1.1.2"])
        #expect(try Self.order([]) == [])
    }

    @Test("many addresses of one family do not crowd out the other, and attempts are bounded")
    func boundsAttempts() throws {
        let many = (0..<100).map { "fd00::\(String($0, radix: 16))" } + ["1.1.1.1", "1.1.1.2"]
        let order = try Self.order(many)
        #expect(order.count == ConnectionRace.mostAttempts)
        #expect(order[1] == "1.1.1.1" && order[3] == "1.1.1.2")
    }

    @Test("the next attempt begins after the delay, or at once when one fails")
    func delays() throws {
        var race = try Self.race(["::1", "1.1.1.1", "::2"])
        let later = Self.start.advanced(by: .milliseconds(250))
        #expect(race.next(at: Self.start) == .attempt(0, try Self.address("::1")))
        #expect(race.next(at: Self.start) == .wait(until: later))
        #expect(race.next(at: Self.start.advanced(by: .milliseconds(249))) == .wait(until: later))
        #expect(race.next(at: later) == .attempt(1, try Self.address("1.1.1.1")))
        race.failed(0)
        #expect(race.next(at: later) == .attempt(2, try Self.address("::2")))
        #expect(race.next(at: later) == .wait(until: nil))
        #expect(race.running == [1, 2])
        race.failed(1)
        race.failed(1)
        #expect(race.next(at: later) == .wait(until: nil))
        race.failed(2)
        #expect(race.next(at: later) == .failed)
        #expect(race.connected(2) == false)
    }

    @Test("one wins, and all others are closed")
    func oneWins() throws {
        var race = try Self.race(["::1", "1.1.1.1", "::2"], delay: .zero)
        var now = Self.start
        for number in 0..<2 {
            guard case .attempt(number, _) = race.next(at: now) else {
                Issue.record("no attempt \(number)")
                return
            }
            #expect(race.next(at: now) == .wait(until: now.advanced(by: .milliseconds(10))))
            now = now.advanced(by: .milliseconds(10))
        }
        #expect(race.connected(1) == true)
        #expect(race.running == [0])
        #expect(race.next(at: now.advanced(by: .seconds(9))) == .won(1))
        #expect(race.connected(0) == false)
        #expect(race.connected(1) == false)
        #expect(race.running.isEmpty)
        #expect(race.next(at: now) == .won(1))
    }

    @Test("addresses may come later")
    func lateAddresses() throws {
        var race = ConnectionRace()
        #expect(race.next(at: Self.start) == .wait(until: nil))
        race.add([try Self.address("1.1.1.1")], isLast: false)
        #expect(race.next(at: Self.start) == .attempt(0, try Self.address("1.1.1.1")))
        race.failed(0)
        #expect(race.next(at: Self.start) == .wait(until: nil))
        race.add([try Self.address("::1")], isLast: true)
        #expect(race.next(at: Self.start) == .attempt(1, try Self.address("::1")))
    }

    @Test("a clock that was set back delays nothing, and delays stay within their bounds")
    func clocks() throws {
        var race = try Self.race(["::1", "1.1.1.1", "::2"], delay: .seconds(60))
        _ = race.next(at: Self.start)
        #expect(race.next(at: Self.start) == .wait(until: Self.start.advanced(by: .seconds(2))))
        #expect(race.next(at: .epoch) == .attempt(1, try Self.address("1.1.1.1")))
        #expect(race.next(at: .epoch) == .wait(until: Instant(seconds: 2)))
    }

    @Test("random events keep every promise", arguments: UInt64(0)..<10)
    func keepsEveryPromise(block: UInt64) throws {
        for seed in block * 100..<(block + 1) * 100 {
            var random = SeededRandom(seed: seed)
            var race = ConnectionRace()
            var (now, latest, mayHurry) = (Self.start, Instant?.none, true)
            var (given, tried, open) = (Set<IPAddress>(), [IPAddress](), Set<Int>())
            var (winner, isComplete) = (Int?.none, false)
            for _ in 0..<Int.random(in: 5...120, using: &random) {
                switch Int.random(in: 0..<6, using: &random) {
                case 0 where !isComplete:
                    isComplete = Int.random(in: 0..<3, using: &random) == 0
                    let more = try (0..<Int.random(in: 0...20, using: &random)).map { _ in
                        let low = UInt8.random(in: 0...40, using: &random)
                        let zeros = [UInt8](repeating: 0, count: Bool.random(using: &random) ? 15 : 3)
                        return try #require(IPAddress(bytes: zeros + [low]))
                    }
                    given.formUnion(more)
                    race.add(more, isLast: isComplete)
                case 1:
                    if let attempt = open.sorted().randomElement(using: &random) {
                        open.remove(attempt)
                        race.failed(attempt)
                        mayHurry = true
                    }
                case 2 where Int.random(in: 0..<5, using: &random) == 0:
                    if let attempt = open.sorted().randomElement(using: &random) {
                        open.remove(attempt)
                        #expect(race.connected(attempt) == (winner == nil), "seed \(seed)")
                        winner = winner ?? attempt
                    }
                case 3: now = now.advanced(by: .milliseconds(Int64.random(in: 0...300, using: &random)))
                default:
                    let isDue = mayHurry || latest.map { $0.advanced(by: .milliseconds(250)) <= now } ?? true
                    let left = given.count > tried.count && tried.count < ConnectionRace.mostAttempts
                    switch race.next(at: now) {
                    case .attempt(let number, let address):
                        #expect(winner == nil && isDue && left && number == tried.count, "seed \(seed)")
                        #expect(given.contains(address) && !tried.contains(address), "seed \(seed)")
                        tried.append(address)
                        open.insert(number)
                        (latest, mayHurry) = (now, false)
                    case .wait(let moment):
                        #expect(winner == nil && !(isDue && left), "seed \(seed)")
                        #expect((moment != nil) == left, "seed \(seed)")
                        if let moment { #expect(moment > now, "seed \(seed)") }
                    case .won(let number): #expect(number == winner, "seed \(seed)")
                    case .failed:
                        let isOver = isComplete || tried.count == ConnectionRace.mostAttempts
                        #expect(winner == nil && open.isEmpty && !left && isOver, "seed \(seed)")
                    }
                }
                #expect(race.running == open, "seed \(seed)")
            }
        }
    }
}

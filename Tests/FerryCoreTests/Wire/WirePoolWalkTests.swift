import FerryTesting
import Testing

@testable import FerryCore

/// A pool meets random events, and a plain account of all requests and connections says what it may do.
@Suite("A pool with random events")
struct WirePoolWalkTests {
    @Test(arguments: UInt64(0)..<10)
    func keepsEveryPromise(block: UInt64) throws {
        var (served, yielded) = (0, 0)
        for seed in block * 100..<(block + 1) * 100 {
            var walk = try Walk(seed: seed)
            // Short walks end in states that long ones leave.
            let most = seed.isMultiple(of: 2) ? 15 : 150
            for _ in 0..<Int.random(in: 3...most, using: &walk.random) { walk.step() }
            walk.finish()
            served += walk.served
            yielded += walk.yielded
        }
        #expect(served > 0)
        #expect(yielded > 0)
    }

    struct Walk {
        enum State: Hashable {
            case opening, busy, idle, closing
        }

        struct Account {
            var key: Int
            var state: State
            var uses = 0
        }

        struct Request {
            var key: Int
            var need: WirePool.Need
        }

        let seed: UInt64
        var random: SeededRandom
        var limits = WirePool.Limits()
        var pool: WirePool
        let keys: [WireKey]
        var now = Instant.epoch
        var connections: [WirePool.Connection: Account] = [:]
        var requests: [WirePool.Waiter: Request] = [:]
        /// How many of a hundred requests need a fresh connection.
        let freshShare: Int
        var served = 0
        var yielded = 0

        init(seed: UInt64) throws {
            self.seed = seed
            random = SeededRandom(seed: seed)
            limits.perKey = Int.random(in: 1...4, using: &random)
            limits.total = [1, 1, 2, 3, 5, 8].randomElement(using: &random)!
            pool = WirePool(limits)
            freshShare = [0, 0, 5, 40].randomElement(using: &random)!
            keys = try (0..<Int.random(in: 2...4, using: &random)).map {
                WireKey(try HTTPURL(parsing: "http://h\($0)/"), ConnectionOptions())
            }
        }

        func fail(_ what: String) { Issue.record("seed \(seed): \(what)") }

        mutating func any(_ state: State) -> WirePool.Connection? {
            connections.filter { $0.value.state == state }.keys.sorted { $0.number < $1.number }
                .randomElement(using: &random)
        }

        mutating func step() {
            switch Int.random(in: 0..<12, using: &random) {
            case 0...3:
                let need: WirePool.Need = Int.random(in: 0..<100, using: &random) < freshShare ? .fresh : .any
                request(Int.random(in: 0..<keys.count, using: &random), need)
            case 4:
                guard let waiter = requests.keys.sorted().randomElement(using: &random) else { break }
                requests[waiter] = nil
                perform(pool.cancel(waiter))
            case 5, 6: if let connection = any(.opening) { open(connection) }
            case 7:
                guard let connection = any(.opening) else { break }
                connections[connection] = nil
                perform(pool.failed(connection), failing: connection)
            case 8, 9: if let connection = any(.busy) { release(connection) }
            case 10:
                let state = [State.busy, .idle, .closing, .closing].randomElement(using: &random)!
                if let connection = any(state) { close(connection) }
            default:
                now = now.advanced(by: .seconds(Int64.random(in: 0...10, using: &random)))
                guard let next = pool.nextCheck, next <= now else { break }
                perform(pool.tick(at: now))
                if pool.nextCheck.map({ $0 <= now }) == true { fail("a check leaves something to check") }
            }
            check()
        }

        mutating func request(_ key: Int, _ need: WirePool.Need) {
            let (waiter, actions) = pool.request(keys[key], need, at: now)
            if requests[waiter] != nil { fail("two requests have the same number") }
            requests[waiter] = Request(key: key, need: need)
            perform(actions)
        }

        mutating func open(_ connection: WirePool.Connection) {
            connections[connection]?.state = .idle
            perform(pool.opened(connection, at: now))
        }

        mutating func release(_ connection: WirePool.Connection) {
            connections[connection]?.state = .idle
            let said = [nil, Duration.seconds(1), .seconds(5)].randomElement(using: &random)!
            perform(pool.released(connection, upTo: said, at: now))
            if connections[connection]?.state == .closing, !requests.isEmpty { yielded += 1 }
        }

        mutating func close(_ connection: WirePool.Connection) {
            connections[connection] = nil
            perform(pool.closed(connection))
        }

        mutating func perform(_ actions: [WirePool.Action], failing: WirePool.Connection? = nil) {
            for action in actions {
                switch action {
                case .open(let connection, let key):
                    if connections[connection] != nil { fail("two connections have the same number") }
                    guard let number = keys.firstIndex(of: key) else { return fail("an unknown key") }
                    connections[connection] = Account(key: number, state: .opening)
                    if connections.count > limits.total { fail("too many connections") }
                    if connections.values.count(where: { $0.key == number }) > limits.perKey {
                        fail("too many connections of a key")
                    }
                case .give(let connection, let waiter): give(connection, to: waiter)
                case .close(let connection):
                    guard let account = connections[connection] else {
                        fail("what is closed is closed again"); break
                    }
                    if account.state == .closing { fail("a connection is closed twice") }
                    if account.state == .busy { fail("an exchange is cut") }
                    connections[connection]?.state = .closing
                case .fail(let waiter, let failure):
                    guard let request = requests[waiter] else {
                        fail("a request fails that does not wait"); break
                    }
                    let waiting = requests.values.count { $0.key == request.key }
                    requests[waiter] = nil
                    let opening = connections.values.count {
                        $0.key == request.key && $0.state == .opening
                    }
                    if waiting <= opening { fail("a request fails whose connection is being opened") }
                    if failing.map({ .notOpened($0) }) != failure { fail("it fails for another reason") }
                }
            }
        }

        mutating func give(_ connection: WirePool.Connection, to waiter: WirePool.Waiter) {
            guard let request = requests.removeValue(forKey: waiter) else {
                return fail("a connection is given to one who does not wait")
            }
            guard let account = connections[connection], account.state == .idle else {
                return fail("a connection is given that is not free")
            }
            if account.key != request.key { fail("a connection of another key is given") }
            if request.need == .fresh, account.uses > 0 {
                fail("a used connection is given instead of a fresh one")
            }
            let others = requests.filter { $0.key < waiter && $0.value.key == request.key }
            if others.values.contains(where: { $0.need == .any }) { fail("someone came before") }
            if account.uses == 0, request.need == .fresh, !others.isEmpty {
                fail("someone came before for a fresh one")
            }
            connections[connection]?.state = .busy
            connections[connection]?.uses += 1
            served += 1
        }

        /// What holds between two events.
        func check() {
            let closing = connections.values.count { $0.state == .closing }
            let idle = connections.values.count { $0.state == .idle }
            var hungry = 0
            for key in keys.indices {
                let own = connections.values.filter { $0.key == key }
                let waiting = requests.values.filter { $0.key == key }
                if waiting.contains(where: { $0.need == .any }), own.contains(where: { $0.state == .idle }) {
                    fail("someone waits beside a free connection")
                }
                let opening = own.count { $0.state == .opening }
                if opening < waiting.count, own.count < limits.perKey {
                    hungry += 1
                    if connections.count < limits.total { fail("someone waits although there is room") }
                }
            }
            if hungry > closing, idle > 0 { fail("someone waits for room that an idle connection takes") }
            if requests.isEmpty, connections.isEmpty, !pool.isEmpty { fail("the pool keeps what is over") }
        }

        /// Lets every connection do its work: everyone is served, and no one waits behind all those who come later.
        mutating func finish() {
            let old = Set(requests.keys)
            var rounds = 0
            // Those who come later want what is in use, and their line is never empty.
            let wanted = any(.busy).flatMap { connections[$0]?.key } ?? 0
            for _ in 0..<3 { request(wanted, .any) }
            while !requests.isEmpty {
                rounds += 1
                if rounds > 3_000 { return fail("\(requests.count) requests wait for ever") }
                if let connection = any(.closing) {
                    close(connection)
                } else if let connection = any(.opening) {
                    open(connection)
                } else if let connection = any(.busy) {
                    release(connection)
                } else {
                    return fail("\(requests.count) requests wait for nothing")
                }
                if !old.isDisjoint(with: requests.keys) { request(wanted, .any) }
                check()
            }
            for action in pool.shutDown() {
                guard case .close(let connection) = action else { fail("no one waits any more"); continue }
                connections[connection]?.state = .closing
            }
            for connection in connections.keys { _ = pool.closed(connection) }
            if !pool.isEmpty { fail("something is left") }
        }
    }
}

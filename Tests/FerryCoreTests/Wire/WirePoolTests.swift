import FerryTesting
import Testing

@testable import FerryCore

@Suite("A pool of connections")
struct WirePoolTests {
    typealias Action = WirePool.Action

    /// A pool with keys that are named by a letter.
    struct Stage {
        var pool: WirePool
        var now = Instant.epoch

        init(perKey: Int = 10, total: Int = 10) {
            var limits = WirePool.Limits()
            (limits.perKey, limits.total) = (perKey, total)
            pool = WirePool(limits)
        }

        func key(_ name: String) throws -> WireKey {
            WireKey(try HTTPURL(parsing: "http://\(name).example/"), ConnectionOptions())
        }

        mutating func request(
            _ name: String,
            _ need: WirePool.Need = .any
        ) throws -> (WirePool.Waiter, [Action]) {
            let (waiter, actions) = pool.request(try key(name), need, at: now)
            return (waiter, actions)
        }

        /// Opens a connection for a request.
        mutating func open(_ name: String) throws -> WirePool.Connection {
            let (waiter, actions) = try request(name)
            let connection = try #require(WirePoolTests.opened(actions).first)
            #expect(pool.opened(connection, at: now) == [.give(connection, to: waiter)])
            return connection
        }
    }

    static func opened(_ actions: [Action]) -> [WirePool.Connection] {
        actions.compactMap { if case .open(let connection, _) = $0 { connection } else { nil } }
    }

    @Test("a request opens a connection, and the next one uses it again")
    func connectionsAreUsedAgain() throws {
        var stage = Stage()
        let connection = try stage.open("a")
        #expect(stage.pool.released(connection, upTo: nil, at: stage.now).isEmpty)
        let (waiter, actions) = try stage.request("a")
        #expect(actions == [.give(connection, to: waiter)])
        let (_, others) = try stage.request("b")
        #expect(Self.opened(others).count == 1)
    }

    @Test("a connection that is free first serves whoever came first")
    func firstComeFirstServed() throws {
        var stage = Stage(perKey: 1)
        let connection = try stage.open("a")
        let (first, none) = try stage.request("a")
        #expect(none.isEmpty)
        let (second, _) = try stage.request("a")
        #expect(stage.pool.released(connection, upTo: nil, at: stage.now) == [.give(connection, to: first)])
        #expect(stage.pool.released(connection, upTo: nil, at: stage.now) == [.give(connection, to: second)])
    }

    @Test("a connection that no one waits for is closing until its owner says that it is closed")
    func closesWhatNoOneWaitsFor() throws {
        var stage = Stage()
        let (waiter, actions) = try stage.request("a")
        let opening = try #require(Self.opened(actions).first)
        #expect(!stage.pool.isClosing(opening))
        #expect(stage.pool.cancel(waiter) == [.close(opening)])
        #expect(stage.pool.isClosing(opening))
        #expect(stage.pool.opened(opening, at: stage.now).isEmpty)
        #expect(stage.pool.isClosing(opening))
        #expect(stage.pool.closed(opening).isEmpty)
        #expect(!stage.pool.isClosing(opening) && stage.pool.isEmpty)
    }

    @Test("a request does not wait for its own connection when another is free before")
    func anyConnectionServes() throws {
        var stage = Stage()
        let busy = try stage.open("a")
        let (waiter, actions) = try stage.request("a")
        let opening = try #require(Self.opened(actions).first)
        #expect(stage.pool.released(busy, upTo: nil, at: stage.now) == [.give(busy, to: waiter)])
        #expect(stage.pool.opened(opening, at: stage.now).isEmpty)
        let (next, others) = try stage.request("a")
        #expect(others == [.give(opening, to: next)])
    }

    @Test(
        "idle connections are closed in time, or as early as the server says",
        arguments: [
            (Duration?.none, Int64(15_000)), (.seconds(5), 4_000), (.seconds(60), 15_000), (.zero, 0),
        ]
    )
    func idleTime(said: Duration?, until: Int64) throws {
        var stage = Stage()
        let connection = try stage.open("a")
        _ = stage.pool.released(connection, upTo: said, at: stage.now)
        #expect(stage.pool.nextCheck == Instant(milliseconds: until))
        if until > 0 { #expect(stage.pool.tick(at: Instant(milliseconds: until - 1)).isEmpty) }
        #expect(stage.pool.tick(at: Instant(milliseconds: until)) == [.close(connection)])
        #expect(stage.pool.nextCheck == nil)
        #expect(stage.pool.closed(connection).isEmpty)
        #expect(stage.pool.isEmpty)
    }

    @Test("a connection that was idle for too long is given to no one, even before the check")
    func expiredConnections() throws {
        var stage = Stage()
        let connection = try stage.open("a")
        _ = stage.pool.released(connection, upTo: nil, at: stage.now)
        stage.now = Instant(seconds: 15)
        let (_, actions) = try stage.request("a")
        #expect(actions.first == .close(connection))
        #expect(Self.opened(actions).count == 1)
    }

    @Test("a request that needs a fresh connection gets one")
    func freshConnections() throws {
        var stage = Stage()
        let used = try stage.open("a")
        _ = stage.pool.released(used, upTo: nil, at: stage.now)
        let (waiter, actions) = try stage.request("a", .fresh)
        let fresh = try #require(Self.opened(actions).first)
        #expect(stage.pool.opened(fresh, at: stage.now) == [.give(fresh, to: waiter)])
    }

    @Test(
        "a used connection makes room for a fresh one when there is no other room",
        arguments: [true, false]
    )
    func freshConnectionsInAFullPool(isIdle: Bool) throws {
        var stage = Stage(perKey: 1)
        let used = try stage.open("a")
        var actions: [Action]
        if isIdle { _ = stage.pool.released(used, upTo: nil, at: stage.now) }
        let (waiter, asked) = try stage.request("a", .fresh)
        actions = asked
        if !isIdle {
            // One that came later must not keep the used connection for ever.
            _ = try stage.request("a")
            actions += stage.pool.released(used, upTo: nil, at: stage.now)
        }
        #expect(actions == [.close(used)])
        let fresh = try #require(Self.opened(stage.pool.closed(used)).first)
        #expect(stage.pool.opened(fresh, at: stage.now) == [.give(fresh, to: waiter)])
    }

    @Test("an idle connection of another key makes room, the one that is idle for the longest time first")
    func idleConnectionsMakeRoom() throws {
        var stage = Stage(total: 2)
        let (one, other) = (try stage.open("a"), try stage.open("b"))
        _ = stage.pool.released(other, upTo: nil, at: stage.now)
        _ = stage.pool.released(one, upTo: nil, at: stage.now)
        let (_, actions) = try stage.request("c")
        #expect(actions == [.close(other)])
        #expect(Self.opened(stage.pool.closed(other)).count == 1)
    }

    @Test("no key starves behind one that always has more to do")
    func noKeyStarves() throws {
        var stage = Stage(total: 1)
        var connection = try stage.open("a")
        _ = try stage.request("a")
        let (waiter, _) = try stage.request("b")
        // The request of "a" that came before "b" is served before it; those behind are not.
        for _ in 0..<2 {
            _ = try stage.request("a")
            let actions = stage.pool.released(connection, upTo: nil, at: stage.now)
            if actions == [.close(connection)] { break }
        }
        connection = try #require(Self.opened(stage.pool.closed(connection)).first)
        #expect(stage.pool.opened(connection, at: stage.now) == [.give(connection, to: waiter)])
    }

    @Test("keys that want many connections take turns")
    func keysTakeTurns() throws {
        var stage = Stage(total: 4)
        let held = try (0..<4).map { _ in try stage.open("x") }
        for _ in 0..<5 { _ = try stage.request("a") }
        for _ in 0..<5 { _ = try stage.request("b") }
        var names: [WireKey] = []
        for connection in held {
            for case .open(_, let key) in stage.pool.closed(connection) { names.append(key) }
        }
        #expect(names == [try stage.key("a"), try stage.key("b"), try stage.key("a"), try stage.key("b")])
    }

    @Test("a failure to connect fails the oldest request, and another one tries again")
    func failuresAreTold() throws {
        var stage = Stage(perKey: 1)
        let (first, actions) = try stage.request("a")
        let (second, _) = try stage.request("a")
        let connection = try #require(Self.opened(actions).first)
        let after = stage.pool.failed(connection)
        #expect(after.first == .fail(first, .notOpened(connection)))
        let next = try #require(Self.opened(after).first)
        #expect(stage.pool.failed(next) == [.fail(second, .notOpened(next))])
        #expect(stage.pool.isEmpty)
    }

    @Test("a failure to connect fails no one who can be served otherwise")
    func failuresOfSpares() throws {
        var stage = Stage()
        let busy = try stage.open("a")
        let (first, actions) = try stage.request("a")
        let (second, others) = try stage.request("a")
        let (one, other) = (try #require(Self.opened(actions).first), try #require(Self.opened(others).first))
        #expect(stage.pool.released(busy, upTo: nil, at: stage.now) == [.give(busy, to: first)])
        #expect(stage.pool.failed(one).isEmpty)
        #expect(stage.pool.opened(other, at: stage.now) == [.give(other, to: second)])
    }

    @Test("who leaves the line is not served, and stops the connection that no one needs")
    func waitersLeave() throws {
        var stage = Stage()
        let (first, actions) = try stage.request("a")
        let (second, others) = try stage.request("a")
        let (one, other) = (try #require(Self.opened(actions).first), try #require(Self.opened(others).first))
        #expect(stage.pool.cancel(first) == [.close(other)])
        #expect(stage.pool.opened(other, at: stage.now).isEmpty)
        #expect(stage.pool.opened(one, at: stage.now) == [.give(one, to: second)])
        #expect(stage.pool.cancel(second).isEmpty)
        #expect(stage.pool.closed(other).isEmpty)
    }

    @Test("a closed pool closes everything and serves no one")
    func shutdown() throws {
        var stage = Stage(total: 2)
        let (busy, idle) = (try stage.open("a"), try stage.open("b"))
        let (waiter, _) = try stage.request("c")
        _ = stage.pool.released(idle, upTo: nil, at: stage.now)
        #expect(stage.pool.shutDown() == [.fail(waiter, .shutDown), .close(busy)])
        let (late, actions) = try stage.request("a")
        #expect(actions == [.fail(late, .shutDown)])
        #expect(stage.pool.closed(busy).isEmpty)
        #expect(!stage.pool.isEmpty)
        #expect(stage.pool.closed(idle).isEmpty)
        #expect(stage.pool.isEmpty)
    }
}

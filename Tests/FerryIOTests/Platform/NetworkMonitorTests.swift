#if os(Linux)
import FerryCore
import Testing

@testable import FerryIO
import FerryTesting

/// The monitor on the machine that runs the tests, whose network is not theirs to change.
@Suite("The routes of this machine", .timeLimit(.minutes(10)))
struct NetworkMonitorTests {
    private let monitor = LinuxNetworkMonitor()

    @Test(arguments: ["127.0.0.1", "127.9.9.9", "localhost"])
    func thisMachineIsReachedWithoutAnyWayOut(_ host: String) async throws {
        guard case .routes(let routes) = await monitor.reachability(of: host) else {
            Issue.record("\(await monitor.reachability(of: host))")
            return
        }
        #expect(!routes.isEmpty && routes.allSatisfy { $0.gateway == nil })
        #expect(await monitor.stand(routes))
    }

    @Test func aRouteOverAnotherLinkOrFromAnAddressThatIsGoneDoesNotStand() async throws {
        guard case .routes(let routes) = await monitor.reachability(of: "127.0.0.1") else {
            Issue.record("there is no loopback")
            return
        }
        var moved = try #require(routes.first)
        moved.link += 1000
        #expect(await !monitor.stand([moved]))
        var rerouted = try #require(routes.first)
        rerouted.gateway = IPAddress("192.0.2.1")
        #expect(await !monitor.stand([rerouted]))
        var gone = try #require(routes.first)
        gone.source = IPAddress("192.0.2.77")
        #expect(await !monitor.stand([gone]))
        #expect(await !monitor.stand(routes + [gone]))
    }

    /// No other network makes a server of it, so that none is waited for.
    @Test func aGroupIsNoHost() async {
        #expect(await monitor.reachability(of: "255.255.255.255") == .unknown)
        if case .routes = await monitor.reachability(of: "224.0.0.1") { Issue.record("a group was reached") }
    }

    @Test func itEndsTheChangesWhenItIsShutDown() async {
        let changes = monitor.changes()
        async let ended: Void = {
            for await _ in changes {}
        }()
        await monitor.shutdown()
        await ended
        // None begin afterwards.
        for await _ in monitor.changes() {}
    }

    @Test func aQuestionOfACancelledTaskIsAnswered() async {
        let task = Task { await monitor.reachability(of: "localhost") }
        task.cancel()
        _ = await task.value
    }

    @Test func ofManyNamesAtOnceEachIsAnswered() async {
        await withTaskGroup(of: Reachability.self) { group in
            for number in 0..<20 {
                group.addTask { await monitor.reachability(of: "host-\(number).invalid") }
            }
            for await reachability in group {
                if case .routes = reachability { Issue.record("a name that cannot exist was resolved") }
            }
        }
    }
}
#endif

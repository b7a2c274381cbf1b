import FerryCore
import Testing

@Suite("The meaning of a failure when the route to the host is known")
struct NetworkJudgementTests {
    private static let routes: [Reachability] = [
        .unknown, .noRoute,
        .routes([NetworkRoute(destination: IPAddress("192.0.2.1")!, source: nil, link: 1)]),
    ]
    private static let networkCodes: Set<TransferFailure.Code> = [
        .networkUnreachable, .nameNotResolved, .connectionLost, .connectionRefused, .timeout, .tooSlow,
        .proxyFailed,
    ]
    private static let dispositions: [Problem.Disposition] = [
        .transient(retryAfter: nil), .transient(retryAfter: .seconds(9)), .permanent,
        .condition(.network), .condition(.newURL), .condition(.diskSpace(needed: 1)),
        .condition(.diskMount), .condition(.applicationInactive), .condition(.dependency),
        .condition(.window(opens: Instant(seconds: 1))),
    ]

    @Test func everyFailureWithEveryDispositionAndEveryWay() {
        for code in TransferFailure.Code.allCases {
            for disposition in Self.dispositions {
                for reachability in Self.routes {
                    let problem = Problem(TransferFailure(code, "It failed."), disposition)
                    let judged = problem.judged(by: reachability, of: "host.example")
                    #expect(judged.disposition == expected(code, disposition, reachability))
                    let becomesNetwork = judged.disposition == .condition(.network)
                    // Every wait for the network says so, and no other failure changes.
                    #expect(judged.failure.code == (becomesNetwork ? .networkUnreachable : code))
                    #expect(judged.failure.remedies == (becomesNetwork ? [.checkNetwork, .retry] : []))
                }
            }
        }
    }

    private func expected(
        _ code: TransferFailure.Code,
        _ disposition: Problem.Disposition,
        _ reachability: Reachability
    ) -> Problem.Disposition {
        switch (disposition, reachability) {
        case (.condition(.network), .noRoute): .condition(.network)
        case (.condition(.network), _): .transient(retryAfter: nil)
        case (.transient, .noRoute) where Self.networkCodes.contains(code): .condition(.network)
        default: disposition
        }
    }

    @Test func aLostRouteIsWaitedForAndNamesNothingButTheHost() {
        let problem = Problem.routeLost(to: "host.example")
        #expect(problem.disposition == .condition(.network))
        #expect(problem.failure.message.contains("host.example"))
    }

    @Test func anAddressHasFourOrSixteenBytes() {
        #expect(IPAddress(bytes: [192, 0, 2, 1]) == IPAddress("192.0.2.1"))
        #expect(IPAddress(bytes: [UInt8](repeating: 0, count: 15) + [1]) == IPAddress("::1"))
        for count in [0, 3, 5, 15, 17] {
            #expect(IPAddress(bytes: [UInt8](repeating: 0, count: count)) == nil)
        }
    }
}

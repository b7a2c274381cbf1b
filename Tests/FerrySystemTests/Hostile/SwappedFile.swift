import Foundation
import Synchronization

/// The server's side of a ``SwapPlan``.
final class SwappedFile: Sendable {
    private let plan: SwapPlan
    private let state = Mutex(State())

    private struct State {
        var sent = 0
        var answers = 0
        var sentVersions: Set<Int> = []
        var served = 0
        var mostServed = 0
    }

    init(_ plan: SwapPlan) {
        self.plan = plan
    }

    /// The versions that the server has sent bytes of.
    var sentVersions: Set<Int> { state.withLock { $0.sentVersions } }

    /// Whether several connections carried it at once.
    var wasParallel: Bool { state.withLock { $0.mostServed > 1 } }

    /// The version that the server has after it has sent this many bytes.
    private func version(after sent: Int) -> Int {
        min(plan.moments.count { $0 <= sent }, plan.versions.count - 1)
    }

    func answer(_ request: ScriptedRequest, on connection: ScriptedConnection) -> ScriptedServer.Ending {
        let (version, cut) = state.withLock { state in
            state.answers += 1
            state.served += 1
            state.mostServed = max(state.mostServed, state.served)
            let cut = state.answers <= plan.cuts.count ? plan.cuts[state.answers - 1] : nil
            return (self.version(after: state.sent), cut)
        }
        defer { state.withLock { $0.served -= 1 } }
        let honest = HonestAnswer(version: "", flaws: plan.flaws)
        let (head, range) = honest.answer(to: request, with: plan.versions[version])
        guard connection.send(Array((head + "\r\n").utf8)) else { return .closes }
        let framing = Framing(isChunked: head.contains("Transfer-Encoding: chunked"))
        var rest = plan.versions[version].content.bytes[range]
        var allowed = cut ?? .max
        while !rest.isEmpty {
            let piece = rest.prefix(min(plan.pace.map { $0 / 50 } ?? 8192, allowed))
            guard !piece.isEmpty, connection.send(framing.framed(piece)) else { return .closes }
            rest = rest.dropFirst(piece.count)
            allowed -= piece.count
            let isStillThere = state.withLock { state in
                state.sent += piece.count
                state.sentVersions.insert(version)
                return self.version(after: state.sent) == version
            }
            if !isStillThere, plan.swapBreaksOff, !rest.isEmpty { return .closes }
            if plan.pace != nil { connection.pause(20) }
        }
        return connection.send(framing.end) ? .stays : .closes
    }

    /// How a body is framed.
    private struct Framing {
        var isChunked: Bool

        func framed(_ piece: Data) -> [UInt8] {
            isChunked ? Array("\(String(piece.count, radix: 16))\r\n".utf8) + piece + [13, 10] : Array(piece)
        }

        var end: [UInt8] { isChunked ? Array("0\r\n\r\n".utf8) : [] }
    }
}

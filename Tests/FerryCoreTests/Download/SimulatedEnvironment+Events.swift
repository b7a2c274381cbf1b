import FerryCore
import FerryTesting

extension SimulatedEnvironment {
    /// What happens next, and when; `nil` when nothing is outstanding.
    mutating func nextEvent() -> DownloadEvent? {
        var choices: [() -> (inout SimulatedEnvironment) -> DownloadEvent?] = []
        if let first = pending.indices.first {
            // Orders are carried out one after another, but a sync takes its time.
            let index = pending.indices.randomElement(using: &random)!
            var picked = first
            if case .synchronize = pending[index] { picked = index }
            choices += [{ { $0.deliver(picked) } }, { { $0.deliver(picked) } }]
        }
        for (id, exchange) in exchanges.sorted(by: { $0.key < $1.key }) {
            if exchange.isCut {
                choices.append { { $0.end(id, .disconnected) } }
            } else if exchange.position != nil || !exchange.isHeadDue {
                choices += [{ { $0.proceed(id) } }, { { $0.proceed(id) } }]
            } else if exchange.isHeadDue, chance(2), !headIsPending(id) {
                choices.append { { $0.end(id, .failed(.transient(.timeout, "The peer gave up waiting."))) } }
            }
        }
        guard !choices.isEmpty else { return nil }
        if chance(10) { return .advanced(watermarks) }
        if samplesDue > 0, chance(30) {
            samplesDue -= 1
            return .sampled(watermarks)
        }
        if chance(2), asks < 3 {
            asks += 1
            let endings: [StopOrder] = [
                .release, .cancel(keepingPart: false), .cancel(keepingPart: true),
            ]
            return .ask(endings.randomElement(using: &random)!)
        }
        let choice = choices.randomElement(using: &random)!
        return choice()(&self)
    }

    private func headIsPending(_ id: ConnectionID) -> Bool {
        pending.contains {
            if case .event(.head(id, _)) = $0 { true } else { false }
        }
    }

    private var watermarks: [ConnectionID: Int64] {
        exchanges.compactMapValues(\.position)
    }

    private mutating func deliver(_ index: Int) -> DownloadEvent? {
        switch pending.remove(at: index) {
        case .event(.head(let id, let facts)):
            guard exchanges[id]?.isCut == false else { return .advanced([:]) }
            return .head(id, facts)
        case .event(let event):
            return event
        case .synchronize(let image, let isNamed):
            guard !chance(faultRate) else {
                // The kernel drops what it could not write, and marks it clean.
                for (offset, version) in file where durable[offset] != version { file[offset] = -1 }
                return .storageFailed(.synchronize, .transient(.storageFault, "as drawn"))
            }
            durable = image.filter { file[$0.key] == $0.value }
            if isNamed, partExists { isNameDurable = true }
            return .synchronized
        }
    }

    /// Lets some bytes of a body come, or ends it.
    private mutating func proceed(_ id: ConnectionID) -> DownloadEvent? {
        guard let exchange = exchanges[id] else { return nil }
        let broke = DownloadEvent.ConnectionEnd.failed(.transient(.connectionLost, "It broke."))
        guard exchange.isHeadDue, let position = exchange.position, !chance(4) else { return end(id, broke) }
        guard position < exchange.body.upperBound else { return end(id, .complete) }
        if position == exchange.bound { return end(id, .complete) }
        let most = min(exchange.body.upperBound, exchange.bound ?? .max)
        let next = min(most, position + .random(in: 1...bodyPace, using: &random))
        if let limit = exchange.limit, next - exchange.body.lowerBound > limit {
            return end(id, .failed(.transient(.badResponse, "Too much came.")))
        }
        for offset in position..<next {
            if offset < exchange.body.lowerBound + exchange.comparing {
                guard file[Int(offset)] == exchange.version else { return end(id, .overlapDiffers) }
            } else {
                file[Int(offset)] = exchange.version
            }
        }
        exchanges[id]?.position = next
        return .advanced([:])
    }

    private mutating func end(
        _ id: ConnectionID,
        _ end: DownloadEvent.ConnectionEnd
    ) -> DownloadEvent? {
        guard let exchange = exchanges.removeValue(forKey: id) else { return nil }
        if exchange.orders > 1 { complain("\(id) was ordered to receive \(exchange.orders) times") }
        pending.removeAll {
            if case .event(.head(id, _)) = $0 { true } else { false }
        }
        return .connectionEnded(id, at: exchange.position, end)
    }

    /// The machine is gone between attempts: nothing of it is outstanding, and sometimes the power was lost.
    mutating func settle() -> DownloadProgress? {
        guard let (outcome, progress) = finished else { return nil }
        finished = nil
        attempt += 1
        pending = []
        exchanges = [:]
        denied = []
        samplesDue = 0
        // What has no name goes with its last opening.
        if !partExists, !isPublished { (file, durable, isNameDurable) = ([:], [:], false) }
        switch outcome {
        case .completed, .cancelled: return nil
        case .released, .failed: return progress
        }
    }

    /// Takes what a power cut takes.
    mutating func losePower() {
        file = durable
        guard !isPublished, !isNameDurable else { return }
        partExists = false
        (file, durable) = ([:], [:])
    }
}

import FerryCore

/// The followed transfers known to wait: their conditions, and when the first wait ends by itself.
///
/// The moments are kept sorted, because every round of the loop asks for the first and ten thousand may wait.
struct Waits {
    private struct Wait {
        var condition: WaitCondition
        var holder: OwnerID?
    }

    private struct Wake: Comparable {
        var moment: Instant
        var id: TransferID

        static func < (lhs: Wake, rhs: Wake) -> Bool {
            (lhs.moment, lhs.id) < (rhs.moment, rhs.id)
        }
    }

    private var waits: [TransferID: Wait] = [:]
    /// Waits that end by themselves, the earliest first.
    private var wakes: [Wake] = []

    /// Notes the state of a transfer.
    mutating func note(_ transfer: Transfer) {
        remove(transfer.id)
        guard case .waiting(let condition) = transfer.state else { return }
        waits[transfer.id] = Wait(condition: condition, holder: transfer.claim?.owner)
        guard let moment = condition.wakeTime else { return }
        let wake = Wake(moment: moment, id: transfer.id)
        wakes.insert(wake, at: place(of: wake))
    }

    /// Notes that a transfer no longer waits.
    mutating func remove(_ id: TransferID) {
        guard let former = waits.removeValue(forKey: id), let moment = former.condition.wakeTime else {
            return
        }
        wakes.remove(at: place(of: Wake(moment: moment, id: id)))
    }

    /// The earliest moment after `moment` at which a transfer that `owner` may claim stops waiting by itself.
    func earliestWake(for owner: OwnerID, after moment: Instant) -> Instant? {
        wakes[place(of: Wake(moment: moment, id: TransferID(rawValue: .max)))...].first { wake in
            guard wake.moment > moment, let wait = waits[wake.id] else { return false }
            return wait.holder == nil || wait.holder == owner
        }?.moment
    }

    /// The transfers that wait for a condition, in the order of their IDs.
    func waiting(for condition: WaitCondition) -> [TransferID] {
        waits.filter { $0.value.condition == condition }.keys.sorted()
    }

    /// Number of waiting transfers.
    var count: Int { waits.count }

    /// The index of a wake, or the index at which to insert it.
    private func place(of wake: Wake) -> Int {
        var (low, high) = (0, wakes.count)
        while low < high {
            let middle = low + (high - low) / 2
            if wakes[middle] < wake { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

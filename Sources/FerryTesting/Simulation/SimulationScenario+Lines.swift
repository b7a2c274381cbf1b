import FerryCore

/// The lines of errands, and their order.
extension SimulationScenario {
    /// Draws queues, and puts the errands into them.
    mutating func formLines(_ dice: SimulationDice) {
        let names = dice.pick([["q"], ["q", "r"], [NewTransfer.defaultQueue, "q", "r"]])
        for name in names {
            var queue = TransferQueue(name)
            do {
                try queue.apply(Self.queueEdit(dice))
            } catch {
                preconditionFailure("a queue was drawn that means nothing: \(error)")
            }
            queue.priority = dice.pick([0, 0, 1])
            queues.append(queue)
        }
        for place in errands.indices {
            errands[place].queue = dice.pick(names)
            errands[place].priority = dice.pick([0, 0, 0, 1, 2])
        }
    }

    /// Draws which errands come after others.
    mutating func formOrder(_ dice: SimulationDice) {
        for place in errands.indices.dropFirst() where dice.happens(500) {
            for _ in 0..<dice.pick([1, 1, 2]) { errands[place].after.append(dice.number(in: 0..<place)) }
        }
    }

    /// A user's change to a queue; a transfer can run after any of them.
    static func queueEdit(_ dice: SimulationDice) -> QueueEdit {
        var edit = QueueEdit()
        edit.slots = dice.pick([1, 1, 2, 3])
        edit.perHost = dice.pick([0, 1, 2])
        edit.overflow = dice.pick([.wait, .wait, .cancelOldest])
        edit.order = edit.overflow == .wait ? dice.pick([.fair, .fair, .strict]) : .fair
        edit.onFailure = dice.pick([.hold, .fail])
        return edit
    }
}

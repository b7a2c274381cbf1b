import Ferry

/// A queue as a JSON object. The names of its members are a contract that docs/JSON.md documents.
extension QueueSummary {
    /// All members.
    package var json: JSON {
        [
            "queue": .string(queue.name), "slots": Self.bound(queue.slots),
            "perHost": Self.bound(queue.perHost), "overflow": .string(queue.overflow.rawValue),
            "order": .string(queue.order.rawValue), "onFailure": .string(queue.onFailure.rawValue),
            "heldBy": .optional(heldBy?.rawValue), "priority": .int(Int64(queue.priority)),
            "isPaused": .bool(queue.isPaused),
            "rateLimit": .optional(queue.rateLimit.bytesPerSecond), "running": .int(Int64(running)),
            "waiting": .int(Int64(waiting)),
        ]
    }

    private static func bound(_ number: Int) -> JSON { number == 0 ? .null : .int(Int64(number)) }
}

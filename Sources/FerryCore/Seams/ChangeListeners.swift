/// The listeners to changes of a store, for implementations of ``TransferStore/changes(besides:)``.
package struct ChangeListeners {
    /// In the order in which they were added.
    private var listeners: [(number: Int, stream: AsyncStream<Void>.Continuation, owner: OwnerID?)] = []
    private var latest = 0

    /// Creates a set without listeners.
    package init() {}

    /// Whether there are none.
    package var isEmpty: Bool { listeners.isEmpty }

    /// Adds a listener; returns its number.
    ///
    /// - Parameter owner: the owner whose own attempts it does not hear of; `nil` if it hears of every change.
    package mutating func add(_ listener: AsyncStream<Void>.Continuation, besides owner: OwnerID?) -> Int {
        latest += 1
        listeners.append((latest, listener, owner))
        return latest
    }

    /// Removes a listener.
    package mutating func remove(_ number: Int) { listeners.removeAll { $0.number == number } }

    /// Removes and returns every listener.
    package mutating func removeAll() -> [AsyncStream<Void>.Continuation] {
        defer { listeners = [] }
        return all(besides: nil)
    }

    /// The listeners that hear of a change, in the order in which they were added: a seed must determine the order.
    ///
    /// - Parameter owner: the owner whose attempts made the change; `nil` if others made it, too.
    package func all(besides owner: OwnerID?) -> [AsyncStream<Void>.Continuation] {
        listeners.filter { owner == nil || $0.owner != owner }.map(\.stream)
    }
}

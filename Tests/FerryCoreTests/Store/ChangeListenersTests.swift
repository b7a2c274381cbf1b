import FerryCore
import Testing

@Suite struct ChangeListenersTests {
    /// The numbers of the listeners that have an element, of those that hear of changes besides these owners.
    private func heard(by owners: [OwnerID?], of change: OwnerID?) async -> [Int] {
        var listeners = ChangeListeners()
        let pairs = owners.map { owner in
            let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
            _ = listeners.add(continuation, besides: owner)
            return stream
        }
        for listener in listeners.all(besides: change) { listener.yield() }
        for listener in listeners.removeAll() { listener.finish() }
        var heard: [Int] = []
        for (index, stream) in pairs.enumerated() {
            for await _ in stream { heard.append(index) }
        }
        return heard
    }

    @Test func onlyAnOwnersOwnAttemptsGoUnheard() async {
        let (one, other) = (OwnerID(rawValue: 1), OwnerID(rawValue: 2))
        let listeners = [nil, one, other]
        #expect(await heard(by: listeners, of: nil) == [0, 1, 2])
        #expect(await heard(by: listeners, of: one) == [0, 2])
        #expect(await heard(by: listeners, of: other) == [0, 1])
    }

    @Test func aRemovedListenerHearsNothing() {
        var listeners = ChangeListeners()
        let (_, continuation) = AsyncStream.makeStream(of: Void.self)
        let number = listeners.add(continuation, besides: nil)
        #expect(!listeners.isEmpty)
        listeners.remove(number)
        #expect(listeners.isEmpty && listeners.all(besides: nil).isEmpty)
    }
}

import FerryCore

/// The two orders that can be given to one connection: take the body, and stop.
struct ConnectionControl: Sendable {
    /// How a body is to be taken.
    struct ReceivePlan: Sendable {
        /// The offset of the body's first byte.
        var offset: Int64
        /// The most bytes that may come.
        var limit: Int64?
        /// Where they go.
        var sink: any ByteSink
        /// The same sink, when it compares an overlap first.
        var overlap: OverlapSink?
    }

    let plans: AsyncStream<ReceivePlan>
    let stops: AsyncStream<Void>
    private let planning: AsyncStream<ReceivePlan>.Continuation
    private let stopping: AsyncStream<Void>.Continuation

    init() {
        (plans, planning) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(1))
        (stops, stopping) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(1))
    }

    /// Lets the connection take its body.
    func receive(_ plan: ReceivePlan) {
        planning.yield(plan)
    }

    /// Cuts the connection.
    func disconnect() {
        stopping.yield()
    }
}

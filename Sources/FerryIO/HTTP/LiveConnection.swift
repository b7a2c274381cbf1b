internal import FerryCore
internal import NIOCore

/// A connection that is open, as seen from other threads than its event loop's.
final class LiveConnection: Sendable {
    /// The event loop that serves it.
    let loop: any EventLoop
    private let handler: NIOLoopBound<ConnectionHandler>

    init(_ handler: NIOLoopBound<ConnectionHandler>) {
        self.handler = handler
        loop = handler.eventLoop
    }

    /// Sends a request.
    func begin(_ exchange: Exchange) {
        loop.execute { self.handler.value.begin(exchange, on: self) }
    }

    /// Watches the connection while it carries nothing.
    func watch() {
        loop.execute { self.handler.value.watch() }
    }

    /// Lets the body of an exchange flow to a consumer.
    func startFlow(of exchange: Exchange, to consumer: any BodyConsumer) {
        loop.execute { self.handler.value.startFlow(of: exchange, to: consumer) }
    }

    /// Reads the rest of an answer that is not wanted, or closes the connection (``WireConnection/drop(reading:)``).
    func drop(_ exchange: Exchange) {
        loop.execute { self.handler.value.drop(exchange) }
    }

    /// Closes the connection unless it carries another exchange by now.
    func abandon(_ exchange: Exchange) {
        loop.execute { self.handler.value.abandon(exchange) }
    }

    /// Closes the connection, or lets it linger until it closes by itself.
    func close() {
        loop.execute { self.handler.value.closeUnlessLingering() }
    }
}

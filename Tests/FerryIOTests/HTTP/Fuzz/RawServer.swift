import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import NIOSSL

/// A server that plays the connections of one ``RawExchange`` after another.
final class RawServer: Sendable {
    let port: Int
    private let listener: any Channel
    private let state: NIOLockedValueBox<State>

    fileprivate struct State {
        var exchange: RawExchange?
        var accepted = 0
        var sent = 0
        var channels: [ObjectIdentifier: any Channel] = [:]
    }

    /// How many bytes were sent in the present exchange.
    var bytesSent: Int { state.withLockedValue { $0.sent } }

    init(on group: any EventLoopGroup, tls: NIOSSLContext) async throws {
        let state = NIOLockedValueBox(State())
        self.state = state
        listener = try await ServerBootstrap(group: group)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelOption(.backlog, value: 1024)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let (steps, isSecure) = state.withLockedValue { $0.accept(channel) }
                    channel.closeFuture.whenComplete { _ in
                        state.withLockedValue {
                            _ = $0.channels.removeValue(forKey: ObjectIdentifier(channel))
                        }
                    }
                    let pipeline = channel.pipeline.syncOperations
                    if isSecure { try pipeline.addHandler(NIOSSLServerHandler(context: tls)) }
                    try pipeline.addHandler(
                        RawPlayer(steps) { count in state.withLockedValue { $0.sent += count } }
                    )
                }
            }
            .bind(host: "0.0.0.0", port: 0).get()
        port = listener.localAddress?.port ?? 0
    }

    /// Begins an exchange; the connections of the one before are over.
    func begin(_ exchange: RawExchange) {
        end()
        state.withLockedValue { state in
            state.exchange = exchange
            state.accepted = 0
            state.sent = 0
        }
    }

    /// Resets every connection, so that no port stays taken.
    func end() {
        for channel in state.withLockedValue({ Array($0.channels.values) }) { channel.closeWithReset() }
    }

    func shutdown() async throws {
        end()
        try await listener.close()
    }
}

extension RawServer.State {
    fileprivate mutating func accept(_ channel: any Channel) -> (steps: [RawExchange.Step], isSecure: Bool) {
        channels[ObjectIdentifier(channel)] = channel
        guard let exchange else { return ([.reset], false) }
        defer { accepted += 1 }
        let number = min(accepted, exchange.connections.count - 1)
        return (exchange.connections[number], exchange.lane == .secure)
    }
}

extension Channel {
    /// Closes with RST, past the farewell of TLS.
    fileprivate func closeWithReset() {
        guard let sockets = self as? any SocketOptionProvider else { return close(promise: nil) }
        sockets.setSoLinger(linger(l_onoff: 1, l_linger: 0)).whenComplete { _ in
            do {
                try self.pipeline.syncOperations.context(handlerType: NIOSSLServerHandler.self).close(
                    promise: nil
                )
            } catch {
                self.close(promise: nil)
            }
        }
    }
}

/// Plays the steps of one connection.
private final class RawPlayer: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private var steps: ArraySlice<RawExchange.Step>
    private let noteSent: (Int) -> Void
    private var arrived: [UInt8] = []
    private var isTurning = false

    init(_ steps: [RawExchange.Step], noteSent: @escaping (Int) -> Void) {
        self.steps = steps[...]
        self.noteSent = noteSent
    }

    func channelActive(context: ChannelHandlerContext) {
        play(context)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        arrived += unwrapInboundIn(data).readableBytesView
        play(context)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    private func play(_ context: ChannelHandlerContext) {
        guard !isTurning, context.channel.isActive, let step = steps.first else { return }
        switch step {
        case .awaitHead:
            guard let end = Self.endOfHead(arrived) else { return }
            arrived.removeFirst(end)
        case .awaitBytes(let count):
            guard arrived.count >= count else { return }
            arrived = []
        case .send, .halfClose, .close, .reset: break
        }
        // First, as what follows may bring more to read at once.
        steps.removeFirst()
        isTurning = true
        switch step {
        case .awaitHead, .awaitBytes: break
        case .send(let bytes):
            noteSent(bytes.count)
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: nil)
        case .halfClose: context.close(mode: .output, promise: nil)
        case .close: return context.close(promise: nil)
        case .reset: return context.channel.closeWithReset()
        }
        // In another turn of the loop, so that the bytes can arrive separately.
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        context.eventLoop.execute {
            let (player, context) = bound.value
            player.isTurning = false
            player.play(context)
        }
    }

    private static func endOfHead(_ bytes: [UInt8]) -> Int? {
        guard bytes.count >= 4 else { return nil }
        for start in 0...(bytes.count - 4) where bytes[start..<(start + 4)].elementsEqual([13, 10, 13, 10]) {
            return start + 4
        }
        return nil
    }
}

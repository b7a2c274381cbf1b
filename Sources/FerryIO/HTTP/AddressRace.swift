internal import FerryCore
internal import NIOCore
internal import NIOPosix

/// Connects to the first of a host's addresses that answers (RFC 8305): a ``ConnectionRace`` on an event loop.
///
/// All methods run on the loop.
final class AddressRace {
    private let port: Int
    private let sources: LocalAddresses
    private let buffers: BufferPlan
    private let loop: any EventLoop
    private let promise: EventLoopPromise<any Channel>
    private var race = ConnectionRace()
    private var channels: [Int: any Channel] = [:]
    private var errors: [any Error] = []
    private var timer: Scheduled<Void>?
    private var isOver = false

    init(
        _ addresses: [IPAddress],
        port: Int,
        from sources: LocalAddresses,
        buffers: BufferPlan,
        on loop: any EventLoop,
        promise: EventLoopPromise<any Channel>
    ) {
        (self.port, self.sources, self.buffers, self.loop, self.promise) = (
            port, sources, buffers, loop, promise
        )
        race.add(addresses, isLast: true)
    }

    /// Does what the race asks for.
    func proceed() {
        timer?.cancel()
        while !isOver {
            switch race.next(at: .uptime) {
            case .attempt(let number, let address): attempt(number, address)
            case .wait(let until):
                guard let until else { return }
                timer = loop.assumeIsolated().scheduleTask(deadline: until.deadline) { self.proceed() }
                return
            case .won: return
            case .failed: return end(.failure(OpeningFailure.notConnected(errors)))
            }
        }
    }

    /// Gives all attempts up.
    func cancel() { end(.failure(OpeningFailure.cancelled)) }

    private func attempt(_ number: Int, _ address: IPAddress) {
        do {
            let target = try SocketAddress(address, port: port)
            var bootstrap = ClientBootstrap(group: loop)
                .channelOption(.autoRead, value: false)
                .channelOption(.maxMessagesPerRead, value: buffers.readsInARow)
                .channelOption(
                    .recvAllocator,
                    value: FixedSizeRecvByteBufferAllocator(capacity: buffers.portion(afterReceiving: 0))
                )
                // The whole opening has a limit; a single address has none of its own.
                .connectTimeout(.hours(24))
                .channelInitializer { [bound = NIOLoopBound(self, eventLoop: loop)] channel in
                    bound.value.begin(number, channel)
                    return channel.eventLoop.makeSucceededVoidFuture()
                }
            if let source = sources.source(for: address) {
                bootstrap = bootstrap.bind(to: try SocketAddress(source, port: 0))
            }
            bootstrap.connect(to: target).hop(to: loop).assumeIsolated().whenComplete { result in
                self.ended(number, result)
            }
        } catch {
            ended(number, .failure(error))
        }
    }

    private func begin(_ number: Int, _ channel: any Channel) {
        guard !isOver else { return channel.close(promise: nil) }
        channels[number] = channel
    }

    private func ended(_ number: Int, _ result: Result<any Channel, any Error>) {
        channels[number] = nil
        switch result {
        case .success(let channel):
            guard !isOver, race.connected(number) else { return channel.close(promise: nil) }
            end(.success(channel))
        case .failure(let error):
            errors.append(error)
            race.failed(number)
            proceed()
        }
    }

    private func end(_ result: Result<any Channel, any Error>) {
        guard !isOver else { return }
        isOver = true
        timer?.cancel()
        promise.completeWith(result)
        for channel in channels.values { channel.close(promise: nil) }
        channels = [:]
    }
}

extension SocketAddress {
    /// The socket address of an address and a port.
    init(_ address: IPAddress, port: Int) throws {
        try self.init(packedIPAddress: ByteBuffer(bytes: address.bytes), port: port)
    }
}

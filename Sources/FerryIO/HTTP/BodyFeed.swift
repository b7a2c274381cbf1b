internal import FerryCore
internal import NIOCore

/// What is left of a request's body, read ahead of the connection that sends it. All methods run on the event loop.
final class BodyFeed {
    /// What follows in the body.
    enum Next {
        case part(IOData)
        /// The next part is still being read.
        case pending
        case end
    }

    private enum State {
        /// The next part begins here, and is not read yet.
        case unread(Int64)
        /// The part that begins here is being read. `then` is called when it has been read, or cannot be.
        case reading(Int64, then: (() -> Void)?)
        /// The part that begins here has been read.
        case read(Int64, ByteBuffer)
        case ended
        case failed(any Error)
    }

    /// Maximum bytes of a part that is read into memory. Two of them exist at a time.
    private static let readLimit = 256 * 1024

    private let body: RequestBody
    private let loop: any EventLoop
    private let threads: IOThreads
    private let allocator: ByteBufferAllocator
    /// The open file that the kernel sends by itself. The body owns it.
    private let file: NIOFileHandle?
    private var state: State

    /// - Parameter sendsFiles: whether the kernel may send a file by itself, which it cannot encrypt.
    init(
        _ body: RequestBody,
        on loop: any EventLoop,
        _ threads: IOThreads,
        _ allocator: ByteBufferAllocator,
        sendsFiles: Bool
    ) {
        (self.body, self.loop, self.threads, self.allocator) = (body, loop, threads, allocator)
        if sendsFiles, case .source(let source) = body, source.length != nil,
            let descriptor = source.descriptor
        {
            file = NIOFileHandle(_deprecatedTakingOwnershipOfDescriptor: descriptor)
        } else {
            file = nil
        }
        state = body.length == 0 ? .ended : .unread(0)
    }

    deinit {
        // The handle would complain of a file that it has not closed.
        do { _ = try file?.takeDescriptorOwnership() } catch {
            assertionFailure("A file is in use: \(error)")
        }
    }

    /// Whether all of the body was handed out.
    var isAtEnd: Bool {
        if case .ended = state { true } else { false }
    }

    /// Hands out the next part.
    ///
    /// - Parameters:
    ///   - limit: maximum bytes of the part.
    ///   - whenRead: called later, once, if the part is still being read.
    /// - Throws: ``Problem`` when the body cannot be read, or has changed.
    func next(upTo limit: Int, whenRead: @escaping () -> Void) throws -> Next {
        switch state {
        case .unread(let offset):
            if let part = try partAtHand(from: offset, upTo: limit) { return .part(part) }
            read(from: offset, upTo: limit, then: whenRead)
            return .pending
        case .reading(let offset, _):
            state = .reading(offset, then: whenRead)
            return .pending
        case .read(let offset, let part):
            proceed(to: offset + Int64(part.readableBytes))
            if case .unread(let offset) = state { read(from: offset, upTo: limit, then: nil) }
            return .part(.byteBuffer(part))
        case .ended: return .end
        case .failed(let error): throw error
        }
    }

    /// Checks that a body that is read while it is sent has not changed.
    func check() throws {
        if case .source(let source) = body { try source.check() }
    }

    /// A part that need not be read: of a body in memory, or of a file that the kernel sends.
    private func partAtHand(from offset: Int64, upTo limit: Int) throws -> IOData? {
        switch body {
        case .bytes(let bytes):
            let part = bytes[Int(offset)...].prefix(limit)
            proceed(to: offset + Int64(part.count))
            return .byteBuffer(allocator.buffer(bytes: part))
        case .source(let source):
            guard let file, let length = source.length else { return nil }
            try source.check()
            let end = min(offset + Int64(limit), length)
            proceed(to: end)
            return .fileRegion(FileRegion(fileHandle: file, readerIndex: Int(offset), endIndex: Int(end)))
        }
    }

    private func proceed(to offset: Int64) {
        state = offset == body.length ? .ended : .unread(offset)
    }

    private func read(from offset: Int64, upTo limit: Int, then: (() -> Void)?) {
        guard case .source(let source) = body else { return }
        state = .reading(offset, then: then)
        let rest = source.length.map { $0 - offset } ?? .max
        let count = Int(min(Int64(min(limit, Self.readLimit)), rest))
        threads.submit { [bound = NIOLoopBound(self, eventLoop: loop), loop, allocator] isRunning in
            let result: Result<ByteBuffer, any Error>
            if isRunning {
                result = Result { try source.part(at: offset, of: count, allocator) }
            } else {
                result = .failure(IOThreads.Stopped())
            }
            loop.execute { bound.value.took(result) }
        }
    }

    private func took(_ result: Result<ByteBuffer, any Error>) {
        guard case .reading(let offset, let then) = state else { return }
        switch result {
        case .success(let part) where part.readableBytes > 0: state = .read(offset, part)
        case .success: state = body.length == nil ? .ended : .failed(RequestFault.bodyTooShort)
        case .failure(let error): state = .failed(error)
        }
        then?()
    }
}

extension BodySource {
    fileprivate func part(
        at offset: Int64,
        of count: Int,
        _ allocator: ByteBufferAllocator
    ) throws -> ByteBuffer {
        var part = allocator.buffer(capacity: count)
        try part.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { buffer in
            try read(at: offset, into: UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(count)))
        }
        return part
    }
}

import FerryCore
import FerryTesting
import Foundation
import HTTPTypes
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import FerryIO

/// Bodies of requests that are read while they are sent.
@Suite("Streamed bodies of requests", .timeLimit(.minutes(10)))
struct StreamedBodyTests {
    private static let body = pattern(3_000_000)
    private static let small = pattern(200_000)
    private static let unsendable = "/proc/config.gz"
    private static let created = "HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n"
    private static let asking = "HTTP/1.1 100 Continue\r\n\r\n"

    private func put(
        _ server: SocketServer,
        _ body: RequestBody,
        _ listener: RecordingListener? = nil,
        trusting certificate: TestCertificate? = nil
    ) throws -> TransportRequest {
        let scheme = certificate == nil ? "http" : "https"
        return try .put("\(scheme)://localhost:\(server.port)/photo", body, listener) {
            $0.certificateAuthorityFile = certificate?.certificatePath
        }
    }

    /// A file with these bytes, removed afterwards.
    private func withFile(_ bytes: [UInt8], _ body: (String) async throws -> Void) async throws {
        let path = NSTemporaryDirectory() + "body-\(UUID().uuidString)"
        try Data(bytes).write(to: URL(filePath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        try await body(path)
    }

    // MARK: - The whole body

    /// In clear text the kernel sends the file; over TLS it is read and encrypted.
    @Test(arguments: [false, true])
    func aFileArrivesWholeAndTheConnectionIsKept(isSecure: Bool) async throws {
        let certificate = isSecure ? try await TestCertificate(names: "DNS:localhost") : nil
        let came = Mutex<[[UInt8]]>([])
        let listener = RecordingListener()
        try await withFile(Self.body) { path in
            try await withServer(tls: certificate) { connection in
                while true {
                    let head = try await connection.readHead().lowercased()
                    #expect(head.contains("\r\ncontent-length: \(Self.body.count)\r\n"))
                    #expect(head.contains("\r\nexpect: 100-continue"))
                    try await connection.send(Self.asking)
                    let body = try await connection.read(Self.body.count)
                    came.withLock { $0.append(body) }
                    try await connection.send(Self.created)
                }
            } _: { transport, server in
                for _ in 0..<2 {
                    let source = try FileBodySource(path)
                    let request = try put(server, .source(source), listener, trusting: certificate)
                    let answer = try await transport.status(request)
                    #expect(answer == 201)
                }
                #expect(server.connectionCount == 1)
            }
        }
        #expect(came.withLock { $0 == [Self.body, Self.body] })
        #expect(listener.departures.withLock { $0 } == 2)
        #expect(listener.interims.withLock { $0 } == [100, 100])
        let left = listener.left.withLock { $0 }
        let end = try #require(left.firstIndex(of: Int64(Self.body.count)))
        #expect(left[...end] == left[...end].sorted()[...])
        try certificate?.remove()
    }

    @Test func oneOfUnknownLengthArrivesInChunks() async throws {
        let came = Mutex<[UInt8]>([])
        try await withServer { connection in
            let head = try await connection.readHead().lowercased()
            #expect(head.contains("\r\ntransfer-encoding: chunked") && !head.contains("content-length"))
            try await connection.send(Self.asking)
            let body = try await connection.readChunks()
            came.withLock { $0 = body }
            try await connection.send(Self.created)
        } _: { transport, server in
            let source = KnownSource(Self.body, knowsLength: false)
            let answer = try await transport.status(try put(server, .source(source)))
            #expect(answer == 201)
        }
        #expect(came.withLock { $0 == Self.body })
    }

    // MARK: - Expectations

    @Test func aServerThatRefusesTheHeadReceivesNoBody() async throws {
        let source = KnownSource(Self.body)
        try await withServer(continueWait: .seconds(3600)) { connection in
            try await connection.readHead()
            try await connection.send("HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\n\r\n")
            await connection.waitUntilClosed()
        } _: { transport, server in
            let answer = try await transport.status(try put(server, .source(source)))
            #expect(answer == 413)
        }
        #expect(source.reads.withLock { $0 }.isEmpty)
    }

    @Test func aServerThatNeverAsksReceivesTheBodyAfterAWait() async throws {
        try await withServer(continueWait: .milliseconds(1)) { connection in
            try await connection.readHead()
            let body = try await connection.read(Self.body.count)
            #expect(body == Self.body)
            try await connection.send(Self.created)
        } _: { transport, server in
            let answer = try await transport.status(try put(server, .bytes(Self.body)))
            #expect(answer == 201)
        }
    }

    @Test func aServerThatRefusesTheExpectationGetsTheRequestWithoutIt() async throws {
        let listener = RecordingListener()
        try await withServer(continueWait: .seconds(3600)) { connection in
            if try await connection.readHead().lowercased().contains("expect:") {
                try await connection.send("HTTP/1.1 417 Expectation Failed\r\nContent-Length: 0\r\n\r\n")
            } else {
                let body = try await connection.read(Self.body.count)
                #expect(body == Self.body)
                try await connection.send(Self.created)
            }
        } _: { transport, server in
            let answer = try await transport.status(
                try put(server, .source(KnownSource(Self.body)), listener)
            )
            #expect(answer == 201)
            #expect(server.requests.count == 2)
        }
    }

    @Test func aShortBodyIsSentAtOnceAndInterimAnswersAreHandedOn() async throws {
        let listener = RecordingListener()
        try await withServer(continueWait: .seconds(3600)) { connection in
            let head = try await connection.readHead().lowercased()
            #expect(!head.contains("expect:"))
            try await connection.send(
                "HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
            )
            _ = try await connection.read(Self.small.count)
            try await connection.send(Self.created)
        } _: { transport, server in
            let answer = try await transport.status(
                try put(server, .source(KnownSource(Self.small)), listener)
            )
            #expect(answer == 201)
        }
        #expect(listener.interims.withLock { $0 } == [102, 103])
        #expect(listener.left.withLock { $0.last } == Int64(Self.small.count))
    }

    /// The file system of such a file has no pages that the kernel could send, as some in user space have none.
    @Test(.enabled(if: FileManager.default.isReadableFile(atPath: unsendable)))
    func aFileThatTheKernelDoesNotSendIsRead() async throws {
        let content = Array(try Data(contentsOf: URL(filePath: Self.unsendable)))
        let came = Mutex<[UInt8]>([])
        try await withServer { connection in
            try await connection.readHead()
            let body = try await connection.read(content.count)
            came.withLock { $0 = body }
            try await connection.send(Self.created)
        } _: { transport, server in
            let source = try FileBodySource(Self.unsendable)
            let answer = try await transport.status(try put(server, .source(source)))
            #expect(answer == 201)
        }
        #expect(came.withLock { $0 == content })
    }

    // MARK: - Changes under way

    /// The server empties the file as soon as the first bytes of it arrive.
    @Test(arguments: [false, true])
    func aFileThatIsChangedMeanwhileEndsTheRequest(isSecure: Bool) async throws {
        let certificate = isSecure ? try await TestCertificate(names: "DNS:localhost") : nil
        // More than can be on its way before the script has emptied the file, also on a busy machine: four minutes' worth.
        let length = 256 << 20
        let pace = Pace([ManualLimiter(try RateLimit(bytesPerSecond: 1 << 20))])
        let came = Mutex(0)
        try await withFile([]) { path in
            #expect(truncate(path, length) == 0)
            try await withServer(tls: certificate) { connection in
                try await connection.readHead()
                try await connection.send(Self.asking)
                _ = try await connection.read(1)
                #expect(truncate(path, 1000) == 0)
                while true {
                    _ = try await connection.read(1 << 14)
                    came.withLock { $0 += 1 << 14 }
                }
            } _: { transport, server in
                var request = try put(
                    server,
                    .source(FileBodySource(path)),
                    trusting: certificate
                )
                request.pace = pace
                let problem = await problem { try await transport.status(request) }
                #expect(problem?.failure.code == .bodyChanged)
                #expect(problem?.disposition == .permanent)
            }
        }
        #expect(came.withLock { $0 } < length)
        try certificate?.remove()
    }

    @Test func aFileOfTheSameLengthWithOtherBytesIsNotTheBody() async throws {
        try await withFile(Self.small) { path in
            let source = try FileBodySource(path)
            var time = [timeval(tv_sec: 1, tv_usec: 0), timeval(tv_sec: 1, tv_usec: 0)]
            #expect(utimes(path, &time) == 0)
            try await withServer { connection in
                try await connection.readHead()
                await connection.waitUntilClosed()
            } _: { transport, server in
                let problem = await problem { try await transport.status(try put(server, .source(source))) }
                #expect(problem?.failure.code == .bodyChanged)
            }
        }
    }

    @Test func aDirectoryAndAMissingFileAreNoBodies() throws {
        #expect(throws: StorageProblem.self) { try FileBodySource(NSTemporaryDirectory()) }
        #expect(throws: StorageProblem.self) { try FileBodySource("/nowhere/\(UUID().uuidString)") }
    }

    @Test func aFileOfTheKernelIsNotBlamedOnTheDisk() {
        // Nothing is mapped at its first byte.
        let problem = #expect(throws: StorageProblem.self) { try FileBodySource("/proc/self/mem") }
        let failure = problem?.problem.failure
        #expect(failure?.code == .cannotOpen && failure?.remedies == [.sendCopy])
        #expect(failure?.message.hasPrefix("/proc/self/mem cannot be read (") == true)
        #expect(problem?.problem.disposition == .transient(retryAfter: nil))
    }

    // MARK: - Memory

    /// One part waits to be sent, and one is read ahead; the next is read only when the first has left.
    @Test func readsOnePartAheadAndNoMore() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let threads = IOThreads(count: 1)
        let source = KnownSource(Self.body)
        let loop = group.next()
        let feed = try await loop.submit {
            NIOLoopBound(
                BodyFeed(.source(source), on: loop, threads, ByteBufferAllocator(), sendsFiles: true),
                eventLoop: loop
            )
        }.get()
        var offset = 0
        for reads in 1...4 {
            let first = loop.makePromise(of: Int.self)
            loop.execute {
                func take() {
                    do {
                        guard case .part(let part) = try feed.value.next(upTo: 65_536, whenRead: take) else {
                            return
                        }
                        first.succeed(part.readableBytes)
                    } catch {
                        first.fail(error)
                    }
                }
                take()
            }
            offset += try await first.futureResult.get()
            // All reads that were ordered have been done, as there is one thread.
            try await threads.run {}
            try await loop.submit {}.get()
            #expect(source.reads.withLock { $0.count } == reads + 1)
        }
        #expect(offset == 4 * 65_536)
        try await threads.shutdown()
        try await group.shutdownGracefully()
    }
}

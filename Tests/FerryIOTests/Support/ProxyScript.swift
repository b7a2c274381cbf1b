import FerryCore
import Testing

@testable import FerryIO

/// A proxy that breaks its protocol, and the expected outcome.
struct ProxyScript: Sendable, CustomTestStringConvertible {
    /// One step of the proxy.
    enum Step: Sendable {
        /// Reads exactly this many bytes.
        case read(Int)
        /// Reads the head of a request.
        case readHead
        /// Writes bytes at once.
        case send([UInt8])
        /// Writes each byte separately.
        case sendSlowly([UInt8])
        /// Writes the bytes repeatedly until the client disconnects.
        case sendForEver([UInt8])
        /// Closes in order.
        case close
        /// Closes with RST.
        case reset
        /// Sends nothing until the client disconnects.
        case hang
    }

    let name: String
    let steps: [Step]
    /// The codes that the one problem may have.
    let codes: Set<TransferFailure.Code>
    /// Whether only a timeout ends it.
    let isHanging: Bool

    init(_ name: String, _ steps: [Step], _ codes: Set<TransferFailure.Code>, isHanging: Bool = false) {
        self.name = name
        self.steps = steps
        self.codes = codes
        self.isHanging = isHanging
    }

    var testDescription: String { name }

    /// Plays the proxy's part.
    func play(on connection: SocketConnection) async throws {
        for step in steps {
            switch step {
            case .read(let count): _ = try await connection.read(count)
            case .readHead: try await connection.readHead()
            case .send(let bytes): try await connection.send(bytes)
            case .sendSlowly(let bytes): for byte in bytes { try await connection.send([byte]) }
            case .sendForEver(let bytes): while true { try await connection.send(bytes) }
            case .close: return await connection.close()
            case .reset: return connection.reset()
            case .hang: return await connection.waitUntilClosed()
            }
        }
        await connection.waitUntilClosed()
    }

    /// The problem that a request for `url` through such a proxy ends with.
    ///
    /// Where only a timeout ends it, a slow machine may not come as far as the script means to in a short one. So it is
    /// tried with more patience until the problem is one of ``codes``.
    func problem(for url: String, through scheme: Proxy.Scheme) async throws -> Problem? {
        // Long where something else has to end it: a busy machine must not decide.
        guard isHanging else { return try await problem(for: url, through: scheme, within: .seconds(3600)) }
        var problem: Problem?
        for patience in [Duration.milliseconds(300), .seconds(3), .seconds(30)] {
            problem = try await self.problem(for: url, through: scheme, within: patience)
            if let problem, codes.contains(problem.failure.code) { break }
        }
        return problem
    }

    private func problem(
        for url: String,
        through scheme: Proxy.Scheme,
        within patience: Duration
    ) async throws -> Problem? {
        try await withServer { connection in
            try await play(on: connection)
        } _: { transport, server in
            await FerryIOTests.problem {
                try await transport.fetch(
                    .get(url) {
                        $0.proxy = Proxy(scheme: scheme, host: "127.0.0.1", port: server.port)
                        $0.connectTimeout = patience
                        $0.idleTimeout = patience
                    }
                )
            }
        }
    }
}

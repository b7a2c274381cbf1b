import Foundation
import Glibc
import Testing

/// A real network that fails in the middle of a download, and comes back.
@Suite(
    "A lost network",
    .limitedParallelism,
    .enabled(if: Tool.nginx.isInstalled, "nginx is not installed"),
    .enabled(if: VirtualNetwork.isAllowed, "network namespaces are not allowed here")
)
struct NetworkLossTests {
    /// The commands that break a network and restore it.
    struct Loss: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var going: [(VirtualNetwork.Side, String)]
        var coming: [(VirtualNetwork.Side, String)]
    }

    static let losses = [
        Loss(
            testDescription: "the link is switched off",
            going: [(.near, "link set near0 down")],
            coming: [(.near, "link set near0 up")]
        ),
        Loss(
            testDescription: "the cable is pulled",
            going: [(.far, "link set far0 down")],
            coming: [(.far, "link set far0 up")]
        ),
        Loss(
            testDescription: "the address is taken away, and another one given",
            going: [(.near, "address del 198.51.100.1/24 dev near0")],
            coming: [(.near, "address add 198.51.100.7/24 dev near0")]
        ),
    ]

    @Test(
        "the download waits for the network, and resumes at the same byte within a second",
        arguments: losses
    )
    func goesOnWithinASecond(_ loss: Loss) async throws {
        try await Sandbox.open { sandbox in
            let content = Content(count: 16 * .mebibyte, seed: 71)
            try sandbox.publish(content, as: "file.bin")
            let network = try await VirtualNetwork.open(in: sandbox)
            let server = try await network.serve()
            let process = try network.launch(
                .near,
                Repository.ferry,
                ["get", "-x", "1", "--retries", "1", server.url("file.bin")]
            )
            try await sandbox.transferBecomes("under way") { $0.received > .mebibyte }
            for (side, line) in loss.going { try await network.ip(side, line) }
            let waiting = try await sandbox.transferBecomes("waiting for the network") {
                $0.waitingFor?.condition == "network"
            }
            #expect(waiting.attempts == 0 && waiting.process == Int(process.pid))
            let shown = try await sandbox.ferry("show", "\(waiting.id)")
            #expect(shown.output.contains("waiting for the network"), "\(shown.output)")
            for (side, line) in loss.coming.dropLast() { try await network.ip(side, line) }
            let last = try #require(loss.coming.last)
            let back = ContinuousClock.now
            try await network.ip(last.0, last.1)
            // Measured in ferry, not at the server: after a link has lost its carrier, the kernel on the far side may
            // send nothing for a second, so that only the second packet makes the connection.
            try await sandbox.transferBecomes("under way again") { $0.state != "waiting" }
            let pause = ContinuousClock.now - back
            #expect(pause < .seconds(1) * Sanitizer.patience, "it took \(pause)")
            let outcome = try await process.outcome()
            outcome.expect(0)
            #expect(outcome.errors.contains("Waiting for the network."), "\(outcome.errors)")
            try sandbox.expectOnly("file.bin", content)
            let resumed = try #require(server.arrivals.first { $0.start > 0 })
            #expect(resumed.status == 206 && resumed.start >= waiting.received)
            #expect(server.arrivals.allSatisfy { $0.start == 0 || $0.start == resumed.start })
        }
    }

    @Test("a change of address restarts the connection at once, without waiting for a timeout")
    func anotherAddressRestartsAtOnce() async throws {
        try await Sandbox.open { sandbox in
            let content = Content(count: 16 * .mebibyte, seed: 72)
            try sandbox.publish(content, as: "file.bin")
            let network = try await VirtualNetwork.open(in: sandbox)
            let server = try await network.serve()
            let process = try network.launch(
                .near,
                Repository.ferry,
                ["get", "-x", "1", "--retries", "1", server.url("file.bin")]
            )
            try await sandbox.transferBecomes("under way") { $0.received > .mebibyte }
            // A second address on the same link does not affect the connection.
            try await network.ip(.near, "address add 198.51.100.9/24 dev near0")
            try await network.ip(.near, "address add 203.0.113.1/24 dev near0")
            #expect(server.arrivals.isEmpty)
            let change = Date().timeIntervalSince1970
            // Removing the first address also removes the other addresses of its network, and the route.
            try await network.ip(.near, "address del 198.51.100.1/24 dev near0")
            try await network.ip(.near, "address replace 198.51.100.8/24 dev near0")
            try await process.outcome().expect(0)
            try sandbox.expectOnly("file.bin", content)
            let resumed = try #require(server.arrivals.first { $0.start > 0 })
            #expect(resumed.status == 206 && resumed.start > .mebibyte)
            let pause = resumed.time - change
            #expect(pause < 1.0 * Double(Sanitizer.patience), "it took \(pause) s")
        }
    }

    @Test("a download from loopback needs no network")
    func loopbackNeedsNoWayOut() async throws {
        try await Sandbox.open { sandbox in
            let content = Content(count: .mebibyte, seed: 73)
            try sandbox.publish(content, as: "file.bin")
            let network = try await VirtualNetwork.open(in: sandbox)
            let server = try await network.serve()
            try await network.ip(.far, "link set far0 down")
            let process = try network.launch(
                .far,
                Repository.ferry,
                ["get", "-x", "1", server.url("file.bin", at: "127.0.0.1")]
            )
            try await process.outcome().expect(0)
            try sandbox.expectOnly("file.bin", content)
        }
    }

    @Test("a transfer waits for the network if no name server can be reached")
    func aNameWaits() async throws {
        try await Sandbox.open { sandbox in
            let network = try await VirtualNetwork.open(in: sandbox)
            try await network.ip(.near, "link set near0 down")
            let process = try network.launch(
                .near,
                Repository.ferry,
                ["get", "--retries", "1", "http://files.example/file.bin"]
            )
            let waiting = try await sandbox.transferBecomes("waiting for the network") {
                $0.waitingFor?.condition == "network"
            }
            #expect(waiting.attempts == 0)
            process.send(SIGINT)
            try await process.outcome().expect(7)
        }
    }

    @Test("without retries, and before a dry run, nothing waits for the network")
    func nothingWaits() async throws {
        try await Sandbox.open { sandbox in
            let network = try await VirtualNetwork.open(in: sandbox)
            try await network.ip(.near, "link set near0 down")
            for words in [["get", "--retries", "0"], ["get", "-I"]] {
                let process = try network.launch(
                    .near,
                    Repository.ferry,
                    words + ["http://files.example/file.bin"]
                )
                let outcome = try await process.outcome()
                outcome.expect(6)
                #expect(outcome.errors.contains("no route to files.example"), "\(outcome.errors)")
            }
        }
    }
}

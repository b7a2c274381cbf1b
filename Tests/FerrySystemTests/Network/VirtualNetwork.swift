import Foundation
import Glibc
import Testing

/// Two network namespaces that are joined by a pair of virtual links, like two machines. A process holds each namespace,
/// so that nothing remains after the test.
final class VirtualNetwork: Sendable {
    /// The side of ferry, and the side of its server.
    enum Side: String, Sendable {
        case near, far
        /// The first address of its link.
        var address: String { self == .near ? "198.51.100.1" : "198.51.100.2" }
    }

    /// Whether this user may make and join such namespaces.
    static let isAllowed: Bool = {
        guard let shell = Tool.shell.path, Tool("unshare").isInstalled, Tool("nsenter").isInstalled,
            Tool("ip").isInstalled
        else { return false }
        let probe =
            "unshare -n sh -c 'ip link add ferry0 type veth peer name ferry1' && nsenter -t $$ --net true"
        let launch = Launch(
            executable: shell,
            arguments: ["-c", probe],
            environment: ["PATH": path],
            directory: "/"
        )
        guard let pid = try? launch.spawn(outputTo: "/dev/null", errorsTo: "/dev/null") else { return false }
        var status: Int32 = 0
        return waitpid(pid, &status, 0) == pid && status == 0
    }()

    private static let path = "/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin:/bin"

    private let sandbox: Sandbox
    private let holders: [Side: ChildProcess]

    /// Makes a network that lasts as long as the sandbox.
    static func open(in sandbox: Sandbox) async throws -> VirtualNetwork {
        var holders: [Side: ChildProcess] = [:]
        for side in [Side.near, .far] {
            let holder = try sandbox.launch(
                executable: try Tool("unshare").requiredPath(),
                ["-n", "sh", "-c", "echo ready; exec sleep 900"]
            )
            try await Deadline.wait(for: "a namespace") { holder.outputSoFar.contains("ready") }
            holders[side] = holder
        }
        let network = VirtualNetwork(sandbox, holders)
        let far = try #require(holders[.far]).pid
        try await network.ip(.near, "link add near0 type veth peer name far0 netns \(far)")
        for side in [Side.near, .far] {
            try await network.ip(side, "address add \(side.address)/24 dev \(side.link)")
            try await network.ip(side, "link set lo up")
            try await network.ip(side, "link set \(side.link) up")
        }
        return network
    }

    private init(_ sandbox: Sandbox, _ holders: [Side: ChildProcess]) {
        self.sandbox = sandbox
        self.holders = holders
    }

    /// Changes links, addresses or routes on one side, with the arguments of ip(8).
    func ip(_ side: Side, _ line: String) async throws {
        let words = line.split(separator: " ").map(String.init)
        let outcome = try await launch(side, Tool("ip").requiredPath(), words).outcome()
        guard outcome.status == 0 else { throw Overdue(what: line, after: .zero, said: outcome.errors) }
    }

    /// Starts a program on one side.
    func launch(_ side: Side, _ executable: String, _ arguments: [String]) throws -> ChildProcess {
        let holder = try #require(holders[side]).pid
        return try sandbox.launch(
            executable: try Tool("nsenter").requiredPath(),
            ["-t", "\(holder)", "--net", executable] + arguments
        )
    }

    /// Serves the site of the sandbox on the far side. A whole file is slow, so that it does not end too soon. A part of a
    /// file is limited only by `pace`.
    func serve(partsPerSecond pace: String = "0") async throws -> FarServer {
        let directory = "\(sandbox.root)/far-server"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        let configuration = """
            daemon off; master_process off; worker_processes 1; pid \(directory)/pid;
            error_log \(directory)/error.log notice;
            events { worker_connections 64; }
            http {
                client_body_temp_path \(directory)/t1; proxy_temp_path \(directory)/t2;
                fastcgi_temp_path \(directory)/t3; uwsgi_temp_path \(directory)/t4; scgi_temp_path \(directory)/t5;
                map $http_range $pace { "" 512k; default \(pace); }
                log_format arrival '$msec|$request_time|$status|$http_range';
                access_log \(directory)/access.log arrival;
                server { listen 0.0.0.0:8080; root \(sandbox.site); limit_rate $pace; }
            }
            """
        let file = "\(directory)/nginx.conf"
        try configuration.write(toFile: file, atomically: true, encoding: .utf8)
        let process = try launch(
            .far,
            Tool.nginx.requiredPath(),
            ["-p", directory, "-c", file, "-e", "\(directory)/error.log"]
        )
        // The kernel's list of sockets in the namespace of that process: a listening socket on port 8080.
        try await Deadline.wait(for: "the server on the far side", said: { process.errorsSoFar }) {
            let sockets = try? String(contentsOfFile: "/proc/\(process.pid)/net/tcp", encoding: .utf8)
            return sockets?.contains("00000000:1F90 00000000:0000 0A") == true
        }
        return FarServer(log: "\(directory)/access.log")
    }
}

extension VirtualNetwork.Side {
    /// The name of its link.
    var link: String { "\(rawValue)0" }
}

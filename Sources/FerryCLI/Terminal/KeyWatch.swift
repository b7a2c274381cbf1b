import Dispatch
import Glibc
import Synchronization

/// Turns pressed keys into a stream, without waiting for the end of a line and without echo. The stream is empty if
/// standard input is not a terminal or this process is in the background.
final class KeyWatch: Sendable {
    /// The keys.
    let keys: AsyncStream<Character>
    /// Dispatch objects may be used from every thread, although their protocol does not say so.
    private nonisolated(unsafe) let source: (any DispatchSourceRead)?
    private let former: Mutex<termios?>

    init() {
        let (stream, continuation) = AsyncStream.makeStream(of: Character.self)
        keys = stream
        var settings = termios()
        guard isatty(0) == 1, tcgetpgrp(0) == getpgrp(), tcgetattr(0, &settings) == 0 else {
            source = nil
            former = Mutex(nil)
            continuation.finish()
            return
        }
        former = Mutex(settings)
        settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
        tcsetattr(0, TCSANOW, &settings)
        let source = DispatchSource.makeReadSource(
            fileDescriptor: 0,
            queue: DispatchQueue(label: "ferry.keys")
        )
        nonisolated(unsafe) let endSource = source
        source.setEventHandler {
            var byte: UInt8 = 0
            // A terminal that is gone reads as end of file; no more keys will come.
            guard read(0, &byte, 1) == 1 else { return continuation.finish() }
            continuation.yield(Character(Unicode.Scalar(byte)))
        }
        continuation.onTermination = { _ in endSource.cancel() }
        source.resume()
        self.source = source
    }

    /// Stops watching, and restores the terminal's settings.
    func stop() {
        source?.cancel()
        former.withLock { settings in
            guard var before = settings else { return }
            tcsetattr(0, TCSANOW, &before)
            settings = nil
        }
    }
}

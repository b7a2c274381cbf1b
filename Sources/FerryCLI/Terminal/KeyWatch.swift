import Dispatch
import Glibc
import Synchronization

/// Turns keys that are pressed on the terminal into a stream, without waiting for the end of a line and without
/// showing them; nothing comes when standard input is no terminal or this process is in the background.
final class KeyWatch: Sendable {
    /// The keys.
    let keys: AsyncStream<Character>
    /// Dispatch objects may be used from every thread, though their protocol does not say so.
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
            // A terminal that is gone reads as its end; there will be no more keys.
            guard read(0, &byte, 1) == 1 else { return continuation.finish() }
            continuation.yield(Character(Unicode.Scalar(byte)))
        }
        continuation.onTermination = { _ in endSource.cancel() }
        source.resume()
        self.source = source
    }

    /// Watches no longer, and gives the terminal back as it was.
    func stop() {
        source?.cancel()
        former.withLock { settings in
            guard var before = settings else { return }
            tcsetattr(0, TCSANOW, &before)
            settings = nil
        }
    }
}

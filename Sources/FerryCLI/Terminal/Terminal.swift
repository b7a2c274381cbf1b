import Glibc

/// A file descriptor that may lead to a terminal.
struct Terminal: Sendable {
    /// The descriptor.
    let descriptor: Int32
    /// Whether it is a terminal. This stays the same for the life of a process.
    let isTerminal: Bool

    /// Standard output, for data.
    static let output = Terminal(descriptor: 1)
    /// Standard error, for progress and messages.
    static let errors = Terminal(descriptor: 2)
    /// Standard input, for answers.
    static let input = Terminal(descriptor: 0)

    init(descriptor: Int32) {
        self.descriptor = descriptor
        isTerminal = isatty(descriptor) == 1
    }

    /// The present size; 80 by 24 if the terminal does not report it.
    var size: Size {
        var window = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0 else {
            return Size(columns: 80, rows: 24)
        }
        return Size(columns: Int(window.ws_col), rows: window.ws_row > 0 ? Int(window.ws_row) : 24)
    }

    /// A number of columns and rows.
    struct Size: Hashable, Sendable {
        var columns: Int
        var rows: Int
    }

    /// Whether both lead to one file, pipe or terminal, as after `2>&1`.
    func leads(toFileOf other: Terminal) -> Bool {
        var (own, others) = (stat(), stat())
        guard fstat(descriptor, &own) == 0, fstat(other.descriptor, &others) == 0 else { return false }
        return own.st_dev == others.st_dev && own.st_ino == others.st_ino
    }

    /// Whether the reader of the output is gone.
    var readerIsGone: Bool {
        var entry = pollfd(fd: descriptor, events: 0, revents: 0)
        return poll(&entry, 1, 0) > 0 && Int32(entry.revents) & (POLLERR | POLLHUP) != 0
    }

    /// Writes a short text, unless this would have to wait for a reader.
    func writeIfReady(_ text: String) {
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        guard poll(&entry, 1, 0) > 0, Int32(entry.revents) & POLLOUT != 0 else { return }
        _ = write(text)
    }

    /// Writes all of `text`.
    ///
    /// - Returns: `nil`, or the error: `EPIPE` when the reader is gone.
    func write(_ text: String) -> Int32? { write(Array(text.utf8)) }

    /// Writes all bytes.
    ///
    /// - Returns: as for a text.
    func write(_ bytes: [UInt8]) -> Int32? {
        bytes.withUnsafeBytes { bytes in
            var rest = bytes
            while let base = rest.baseAddress, !rest.isEmpty {
                let count = Glibc.write(descriptor, base, rest.count)
                if count >= 0 {
                    rest = UnsafeRawBufferPointer(rebasing: rest[count...])
                } else if errno == EAGAIN {
                    // Another process made the terminal non-blocking; wait until it takes more.
                    var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                    _ = poll(&entry, 1, -1)
                } else if errno != EINTR {
                    return errno
                }
            }
            return nil
        }
    }
}

/// The part of `/proc/PID/stat` that shows whether a process is alive, and since when.
struct ProcessStatus: Hashable, Sendable {
    /// Its number in the PID namespace of that `/proc`.
    var pid: Int32
    /// The state, a letter: `R`, `S`, `D`, `Z` and others.
    var state: UInt8
    /// The number of its threads, including those that have ended and are not reaped.
    var threads: Int
    /// When it started, in clock ticks since boot.
    var startTime: UInt64

    /// Whether it still runs.
    ///
    /// A zombie does not run. But a process whose first thread has ended is also shown as a zombie while its other
    /// threads run; such a process runs.
    var isRunning: Bool {
        switch state {
        case UInt8(ascii: "Z"): threads > 1
        case UInt8(ascii: "X"), UInt8(ascii: "x"): false
        default: true
        }
    }

    /// Parses the one line of the file.
    ///
    /// The second field is the program's name in parentheses, which may contain spaces, line breaks and
    /// parentheses. So the fields are counted from the last `)`.
    ///
    /// - Returns: `nil` when the format is different.
    init?(parsing line: [UInt8]) {
        guard let nameEnd = line.lastIndex(of: UInt8(ascii: ")")) else { return nil }
        let fields = line[(nameEnd + 1)...].split { $0 == 0x20 || $0 == 0x0A }
        // proc(5) counts from 1, and its third field is the first one here.
        func field(_ number: Int) -> ArraySlice<UInt8>? {
            fields.indices.contains(number - 3) ? fields[number - 3] : nil
        }
        guard let state = field(3), state.count == 1, let letter = state.first,
            let threadText = field(20), let threads = Int(String(decoding: threadText, as: UTF8.self)),
            let startText = field(22), let start = UInt64(String(decoding: startText, as: UTF8.self)),
            let number = Int32(String(decoding: line.prefix { $0 != 0x20 }, as: UTF8.self))
        else { return nil }
        pid = number
        self.state = letter
        self.threads = threads
        startTime = start
    }
}

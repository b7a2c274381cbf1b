/// Reads the output of `strace -f -xx`. A call takes one line, or two if a call of another thread comes in between.
struct StraceLog {
    /// The event that a line describes.
    enum Event: Sendable {
        /// A call has begun, and other calls come before its end.
        case began(SystemCall)
        /// A call has ended. `hasBegun` tells whether its beginning was a separate event.
        case ended(SystemCall, hasBegun: Bool)
        /// The process exited.
        case exited(status: Int32)
    }

    private var unfinished: [Int: ArraySlice<UInt8>] = [:]

    /// All events of a log, in order.
    static func events(of log: [UInt8]) throws -> [Event] {
        var reader = StraceLog()
        var events: [Event] = []
        for line in log.split(separator: UInt8(ascii: "\n")) {
            if let event = try reader.read(line) { events.append(event) }
        }
        guard reader.unfinished.isEmpty else {
            throw TraceProblem("calls have begun and not ended: \(reader.unfinished.keys.sorted())")
        }
        return events
    }

    private mutating func read(_ line: ArraySlice<UInt8>) throws -> Event? {
        guard let space = line.firstIndex(of: UInt8(ascii: " ")),
            let thread = Int(String(decoding: line[..<space], as: UTF8.self))
        else { throw TraceProblem("no thread: \(Self.excerpt(line))") }
        let rest = line[space...].drop { $0 == UInt8(ascii: " ") }
        if rest.starts(with: Array("+++ ".utf8)) { return try end(of: thread, rest) }
        if rest.starts(with: Array("--- ".utf8)) { return nil }
        if rest.starts(with: Array("<... ".utf8)) { return try resumed(thread, rest) }
        let mark = Array(" <unfinished ...>".utf8)
        if rest.suffix(mark.count).elementsEqual(mark) {
            let begun = rest.dropLast(mark.count)
            guard unfinished.updateValue(begun, forKey: thread) == nil else {
                throw TraceProblem("thread \(thread) is in two calls at once")
            }
            return .began(try Self.call(thread, begun, result: nil))
        }
        return .ended(try Self.call(thread, whole: rest), hasBegun: false)
    }

    private mutating func resumed(_ thread: Int, _ rest: ArraySlice<UInt8>) throws -> Event {
        guard let begun = unfinished.removeValue(forKey: thread) else {
            throw TraceProblem("a call of thread \(thread) ends that has not begun")
        }
        let mark = Array(" resumed>".utf8)
        guard let close = rest.firstIndex(of: UInt8(ascii: ">")),
            rest[...close].suffix(mark.count).elementsEqual(mark)
        else { throw TraceProblem("not understood: \(Self.excerpt(rest))") }
        return .ended(try Self.call(thread, whole: begun + rest[(close + 1)...]), hasBegun: true)
    }

    private mutating func end(of thread: Int, _ rest: ArraySlice<UInt8>) throws -> Event? {
        // A call that was in progress when the process ended, such as a wait, ends with it.
        unfinished[thread] = nil
        let words = String(decoding: rest, as: UTF8.self).split(separator: " ")
        guard words.count == 5, words[1] == "exited", let status = Int32(words[3]) else {
            throw TraceProblem("not understood: \(Self.excerpt(rest))")
        }
        return .exited(status: status)
    }

    // MARK: One call

    private static func call(_ thread: Int, whole text: ArraySlice<UInt8>) throws -> SystemCall {
        // The last match is the right one: the arguments come before it, and a result never contains it.
        var equals: Int?
        var index = text.endIndex - 3
        while index >= text.startIndex {
            if text[index] == UInt8(ascii: " "), text[index + 1] == UInt8(ascii: "="),
                text[index + 2] == UInt8(ascii: " ")
            {
                equals = index
                break
            }
            index -= 1
        }
        guard let equals else { throw TraceProblem("no result: \(excerpt(text))") }
        var before = text[..<equals]
        while before.last == UInt8(ascii: " ") { before.removeLast() }
        guard before.last == UInt8(ascii: ")") else { throw TraceProblem("no end: \(excerpt(text))") }
        return try call(thread, before.dropLast(), result: text[(equals + 3)...])
    }

    private static func call(
        _ thread: Int,
        _ text: ArraySlice<UInt8>,
        result: ArraySlice<UInt8>?
    ) throws -> SystemCall {
        guard let open = text.firstIndex(of: UInt8(ascii: "(")) else {
            throw TraceProblem("no call: \(excerpt(text))")
        }
        let words = result.map { String(decoding: $0, as: UTF8.self).split(separator: " ") } ?? []
        let value = words.first.flatMap { word in
            word.hasPrefix("0x") ? Int(word.dropFirst(2), radix: 16) : Int(word)
        }
        return SystemCall(
            thread: thread,
            name: String(decoding: text[..<open], as: UTF8.self),
            arguments: split(text[(open + 1)...]),
            result: value,
            error: value == -1 && words.count > 1 ? String(words[1]) : nil
        )
    }

    /// Splits arguments at the commas outside strings and brackets.
    private static func split(_ text: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        var cuts: [Int] = []
        text.withUnsafeBufferPointer { text in
            var depth = 0
            var isQuoted = false
            for index in text.indices {
                switch text[index] {
                case UInt8(ascii: "\""): isQuoted.toggle()
                case _ where isQuoted: break
                case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "("): depth += 1
                case UInt8(ascii: "}"), UInt8(ascii: "]"), UInt8(ascii: ")"): depth -= 1
                case UInt8(ascii: ",") where depth == 0: cuts.append(index)
                default: break
                }
            }
        }
        var arguments: [ArraySlice<UInt8>] = []
        var begin = text.startIndex
        for cut in cuts.map({ text.startIndex + $0 }) + [text.endIndex] {
            arguments.append(text[begin..<cut].drop { $0 == UInt8(ascii: " ") })
            begin = min(cut + 1, text.endIndex)
        }
        return arguments
    }

    private static func excerpt(_ text: ArraySlice<UInt8>) -> String {
        String(decoding: text.prefix(200), as: UTF8.self)
    }
}

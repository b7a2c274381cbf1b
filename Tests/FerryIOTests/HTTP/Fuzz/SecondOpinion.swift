/// What the bytes of one connection carry, read in the simplest way and by no means of the transport's reader.
///
/// It reads at least what `docs/WIRE.md` accepts, and judges nothing else: whether an answer should be refused is not its
/// concern. So what the transport takes for whole has to be among ``answers``.
struct SecondOpinion {
    /// An answer that is whole.
    struct Answer: Hashable {
        var status: Int
        var body: [UInt8]
    }

    /// The final answers, in order.
    private(set) var answers: [Answer] = []
    /// Whether there is one answer, every byte belongs to it, and it needs no close of the connection to end.
    private(set) var isOneAnswer = false

    private var rest: ArraySlice<UInt8>
    private var needsClose = false

    /// Reads all that a peer sent before it closed.
    init(_ bytes: [UInt8], answeringHead isHead: Bool) {
        rest = bytes[...]
        while let answer = next(isHead) {
            answers.append(answer)
            isOneAnswer = answers.count == 1 && rest.isEmpty && !needsClose
            if rest.isEmpty { break }
        }
    }

    private mutating func next(_ isHead: Bool) -> Answer? {
        while let head = nextHead() {
            if head.status < 200 { continue }
            guard !isHead, head.status != 204, head.status != 304 else {
                return Answer(status: head.status, body: [])
            }
            let lengths = head.members(of: "content-length")
            if head.members(of: "transfer-encoding").contains("chunked") {
                return chunks().map { Answer(status: head.status, body: $0) }
            }
            guard let first = lengths.first else {
                defer { rest = [] }
                needsClose = true
                return Answer(status: head.status, body: Array(rest))
            }
            guard let length = Int(first), (0...rest.count).contains(length) else { return nil }
            defer { rest = rest.dropFirst(length) }
            return Answer(status: head.status, body: Array(rest.prefix(length)))
        }
        return nil
    }

    /// A head: the status, and the fields with their names in lower case.
    private struct Head {
        var status: Int
        var fields: [(name: String, value: String)] = []

        func members(of name: String) -> [String] {
            fields.filter { $0.name == name }.flatMap { $0.value.split(separator: ",") }
                .map { Self.trimmed($0).lowercased() }.filter { !$0.isEmpty }
        }

        static func trimmed(_ text: Substring) -> String {
            let rest = text.drop { $0 == " " || $0 == "\t" }
            return String(rest.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
        }
    }

    private mutating func nextHead() -> Head? {
        var line = nextLine()
        while line == "" { line = nextLine() }
        guard let words = line?.split(whereSeparator: { $0 == " " || $0 == "\t" }), words.count > 1,
            words[0].lowercased().hasPrefix("http/"), let status = Int(words[1])
        else { return nil }
        var head = Head(status: status)
        var isSkipped = true
        while let line = nextLine() {
            if line.isEmpty { return head }
            if line.first == " " || line.first == "\t" {
                // A fold belongs to the line before, also to one that is no field.
                if isSkipped { continue }
                head.fields[head.fields.count - 1].value += " " + Head.trimmed(line[...])
                continue
            }
            isSkipped = true
            guard let colon = line.firstIndex(of: ":") else { continue }
            let name = Head.trimmed(line[..<colon]).lowercased()
            isSkipped = false
            head.fields.append((name, Head.trimmed(line[line.index(after: colon)...])))
        }
        return nil
    }

    /// The text up to a line feed, each byte as one character; `nil` without one.
    private mutating func nextLine() -> String? {
        guard let end = rest.firstIndex(of: 10) else { return nil }
        var line = rest[..<end]
        rest = rest[(end + 1)...]
        if line.last == 13 { line.removeLast() }
        // A CR and a LF would be one character.
        return String(String.UnicodeScalarView(line.map { Unicode.Scalar($0) }))
    }

    private mutating func chunks() -> [UInt8]? {
        var data: [UInt8] = []
        while let line = nextLine() {
            let digits = Head.trimmed(line.prefix { $0 != ";" })
            guard !digits.hasPrefix("+"), let size = Int(digits, radix: 16), size >= 0 else { return nil }
            guard size > 0 else {
                // A body is complete with its last chunk, whatever follows.
                var trailer = nextLine()
                while trailer?.isEmpty == false { trailer = nextLine() }
                needsClose = trailer == nil
                return data
            }
            guard size < rest.count else { return nil }
            data += rest.prefix(size)
            rest = rest.dropFirst(size)
            guard nextLine() == "" else { return nil }
        }
        return nil
    }
}

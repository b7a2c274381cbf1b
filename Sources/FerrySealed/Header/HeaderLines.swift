/// The lines of a header, read strictly: each form of a header has one way to be written.
struct HeaderLines {
    private let bytes: [UInt8]
    /// The offset after the lines that were read.
    private(set) var offset = 0
    /// How many lines were read.
    private(set) var number = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The next line, without its end.
    ///
    /// - Throws: ``HeaderFault/ends`` when there is no whole line any more.
    mutating func next() throws(HeaderFault) -> ArraySlice<UInt8> {
        guard let end = bytes[offset...].firstIndex(of: 0x0A) else { throw .ends }
        defer { (offset, number) = (end + 1, number + 1) }
        return bytes[offset..<end]
    }

    /// The stanza that begins with the line that was just read.
    mutating func stanza(after line: ArraySlice<UInt8>) throws(HeaderFault) -> Stanza {
        let words = line.dropFirst(Stanza.mark.count).split(separator: 0x20, omittingEmptySubsequences: false)
        for word in words where word.isEmpty || !word.allSatisfy({ (0x21...0x7E).contains($0) }) {
            throw .arguments(line: number)
        }
        let texts = words.map { String(decoding: $0, as: UTF8.self) }
        var body: [UInt8] = []
        while true {
            let line = try next()
            guard line.count <= Stanza.columns, let part = UnpaddedBase64.decoded(line) else {
                throw .body(line: number)
            }
            body += part
            if line.count < Stanza.columns { break }
        }
        return Stanza(kind: texts[0], arguments: Array(texts.dropFirst()), body: body)
    }
}

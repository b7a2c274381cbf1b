extension ListFile {
    /// Reads a list part by part. An endless list is refused before it fills the memory (I9).
    public struct Parser: Sendable {
        private var entries: [Entry] = []
        /// The beginning of a line whose end has not arrived.
        private var rest: [UInt8] = []
        private var lines = 0
        private var length = 0
        private let longest: Int
        private let most: Int

        /// Creates a parser of an empty list.
        public init() {
            self.init(longest: ListFile.longest, most: ListFile.most)
        }

        /// Creates a parser with other bounds.
        package init(longest: Int, most: Int) {
            self.longest = longest
            self.most = most
        }

        /// Reads the next part; lines may be cut anywhere.
        ///
        /// - Throws: ``ParseError`` for the first line that is wrong or exceeds a bound.
        public mutating func take(_ part: ArraySlice<UInt8>) throws(ParseError) {
            length += part.count
            guard length <= longest else { throw ParseError(line: lines + 1, reason: .tooLong) }
            var left = part
            while let end = left.firstIndex(of: 0x0A) {
                if rest.isEmpty {
                    try read(left[..<end])
                } else {
                    rest += left[..<end]
                    let line = rest
                    rest = []
                    try read(line[...])
                }
                left = left[(end + 1)...]
            }
            rest += left
            guard rest.count <= ListFile.longestLine else {
                throw ParseError(line: lines + 1, reason: .lineTooLong)
            }
        }

        /// Reads the last line and returns the list.
        ///
        /// - Throws: ``ParseError`` when that line is wrong.
        public mutating func finish() throws(ParseError) -> ListFile {
            let line = rest
            rest = []
            try read(line[...])
            return ListFile(entries: entries)
        }

        private mutating func read(_ rawLine: ArraySlice<UInt8>) throws(ParseError) {
            lines += 1
            var line = rawLine.last == 0x0D ? rawLine.dropLast() : rawLine
            if lines == 1, line.starts(with: [0xEF, 0xBB, 0xBF]) { line = line.dropFirst(3) }
            do throws(Reason) {
                guard line.count <= ListFile.longestLine else { throw .lineTooLong }
                guard String(validating: line, as: UTF8.self) != nil else { throw .notUTF8 }
                let content = line.trimmingBlanks
                guard let first = content.first, first != 0x23 else { return }
                if line.first?.isBlank == true {
                    guard !entries.isEmpty else { throw .optionBeforeURL }
                    try entries[entries.count - 1].apply(content)
                } else {
                    guard entries.count < most else { throw .tooMany }
                    entries.append(Entry(line: lines, urls: try ListFile.urls(content)))
                }
            } catch {
                throw ParseError(line: lines, reason: error)
            }
        }
    }
}

extension ListFile {
    /// Reads a list as it comes, part by part, and gives its transfers one by one. It keeps one line and one transfer, so a
    /// list takes the same memory however long it is (I9).
    package struct Parser: Sendable {
        /// What has been taken. The lines up to `start` have been read.
        private var bytes: [UInt8] = []
        private var start = 0
        private var isComplete = false
        /// The transfer of the last URL line; the next lines may hold its options.
        private var pending: Entry?
        /// Whether the URLs of the last URL line are wrong, so that the options below it belong to no transfer.
        private var skipsOptions = false
        /// The options of the last transfer so far.
        private var seen: Set<Option> = []
        private var lines = 0
        private var length = 0
        private var count = 0
        private let longest: Int
        private let most: Int

        /// Creates a parser of an empty list.
        package init() {
            self.init(longest: ListFile.longest, most: ListFile.most)
        }

        /// Creates a parser with other bounds.
        package init(longest: Int, most: Int) {
            self.longest = longest
            self.most = most
        }

        /// Takes the next part; lines may be cut anywhere. An empty part is the end of the list.
        package mutating func take(_ part: ArraySlice<UInt8>) {
            bytes.removeFirst(start)
            start = 0
            bytes += part
            length += part.count
            isComplete = part.isEmpty
        }

        /// The next transfer; `nil` when the next part is needed, and at the end of the list.
        ///
        /// - Throws: ``ParseError`` for a line that is wrong, after which the next call reads on, or that goes beyond a bound.
        package mutating func next() throws(ParseError) -> Entry? {
            guard length <= longest else { throw ParseError(line: lines + 1, reason: .tooLong) }
            while let line = nextLine() {
                if let entry = try read(bytes[line]) { return entry }
            }
            guard bytes.count - start <= ListFile.longestLine else {
                throw ParseError(line: lines + 1, reason: .lineTooLong)
            }
            guard isComplete else { return nil }
            defer { pending = nil }
            return pending
        }

        private mutating func nextLine() -> Range<Int>? {
            let first = start
            if let end = bytes[first...].firstIndex(of: 0x0A) {
                start = end + 1
                return first..<end
            }
            guard isComplete, first < bytes.count else { return nil }
            start = bytes.count
            return first..<start
        }

        /// Reads a line, and gives the transfer that it ends.
        private mutating func read(_ rawLine: ArraySlice<UInt8>) throws(ParseError) -> Entry? {
            lines += 1
            var line = rawLine.last == 0x0D ? rawLine.dropLast() : rawLine
            if lines == 1, line.starts(with: [0xEF, 0xBB, 0xBF]) { line = line.dropFirst(3) }
            do throws(Reason) {
                guard line.count <= ListFile.longestLine else { throw .lineTooLong }
                guard line.allSatisfy({ $0 < 0x80 }) || String(validating: line, as: UTF8.self) != nil
                else { throw .notUTF8 }
                let content = line.trimmingBlanks
                guard let first = content.first, first != 0x23 else { return nil }
                if line.first?.isBlank == true {
                    guard !skipsOptions else { return nil }
                    guard pending != nil else { throw .optionBeforeURL }
                    if let option = try pending?.apply(content), !option.mayBeRepeated,
                        !seen.insert(option).inserted
                    {
                        pending?.repeats.append(Entry.Repeat(line: lines, option: option.rawValue))
                    }
                    return nil
                }
                guard count < most else { throw .tooMany }
                skipsOptions = true
                let entry = Entry(line: lines, urls: try ListFile.urls(content))
                (skipsOptions, seen) = (false, [])
                count += 1
                defer { pending = entry }
                return pending
            } catch {
                throw ParseError(line: lines, reason: error)
            }
        }
    }
}

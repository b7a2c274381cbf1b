/// A list of transfers, as `-i` reads it, in aria2's format.
///
/// Each line is one transfer; several URLs separated by tabs are mirrors of one another. Lines that begin with a
/// space or tab are options of the transfer above them. Empty lines, and lines whose first visible character is `#`,
/// are skipped.
package struct ListFile: Hashable, Sendable {
    /// The transfers, in the order of the file.
    package let entries: [Entry]

    /// One transfer.
    package struct Entry: Hashable, Sendable {
        /// The line of its URLs, counted from 1.
        package let line: Int
        /// Its URLs: at least one, followed by its mirrors.
        package let urls: [HTTPURL]
        /// `out=NAME`: the name to save as, relative to the directory, as written.
        public internal(set) var output: String?
        /// `dir=DIR`: the directory, as written.
        public internal(set) var directory: String?
        /// `checksum=ALGORITHM=HEX`: the digest that the file must have.
        public internal(set) var checksum: Checksum?
        /// `window=TIMES`: when it may run.
        public internal(set) var window: TimeWindow?
        /// `header=Name: value`: fields for its requests; only this option may be repeated.
        public internal(set) var headers: [HeaderLine] = []
    }

    /// Reads the text of a list. CR LF and a byte-order mark are tolerated; of a repeated option the last counts.
    ///
    /// - Throws: ``ParseError`` for the first line that is wrong.
    package init(parsing text: String) throws(ParseError) {
        var parser = Parser()
        var entries: [Entry] = []
        for part in [Array(text.utf8)[...], []] {
            parser.take(part)
            while let entry = try parser.next() { entries.append(entry) }
        }
        self.entries = entries
    }

    /// The maximum lengths of a line and of a list, in bytes (I9).
    package static let longestLine = 1 << 20, longest = 256 << 20
    /// Maximum number of transfers in a list.
    package static let most = 1_000_000

    /// The URLs of a line.
    static func urls(_ line: ArraySlice<UInt8>) throws(Reason) -> [HTTPURL] {
        var urls: [HTTPURL] = []
        for part in line.contains(0x09) ? line.split(separator: 0x09) : [line] {
            let text = part.trimmingBlanks
            guard !text.isEmpty else { continue }
            guard !text.hasURLAfterBlank else { throw .severalURLs }
            do {
                urls.append(try HTTPURL(typed: text))
            } catch {
                throw .invalidURL(error)
            }
        }
        return urls
    }
}

extension ArraySlice<UInt8> {
    /// Whether something that begins like a URL follows a blank. A URL may contain blanks, which are sent encoded, but not so.
    fileprivate var hasURLAfterBlank: Bool {
        split(separator: 0x20).dropFirst().contains { word in
            let scheme = word.prefix { $0.isLetter || $0.isDigit }
            return !scheme.isEmpty && word[scheme.endIndex...].starts(with: "://".utf8)
        }
    }
}

extension ListFile.Entry {
    /// Applies `NAME=VALUE`.
    mutating func apply(_ option: ArraySlice<UInt8>) throws(ListFile.Reason) {
        let equals = option.firstIndex(of: 0x3D)
        let name = option[..<(equals ?? option.endIndex)].trimmingBlanks.text
        guard ["out", "dir", "checksum", "window", "header"].contains(name) else {
            throw .unknownOption(ListFile.quotable(name))
        }
        guard let equals else { throw .missingValue(option: name) }
        let value = option[(equals + 1)...].trimmingBlanks
        guard !value.isEmpty else { throw .missingValue(option: name) }
        switch name {
        case "out", "dir":
            guard !value.contains(0) else { throw .controlCharacter(option: name) }
            if name == "out" { output = value.text } else { directory = value.text }
        case "checksum":
            do {
                checksum = try Checksum(parsing: value.text)
            } catch {
                throw .invalidChecksum(error)
            }
        case "window":
            do {
                window = try TimeWindow(parsing: value.text)
            } catch {
                throw .invalidWindow(error)
            }
        default:
            do {
                headers.append(try HeaderLine(forRequests: value.text))
            } catch {
                throw .invalidHeader(error)
            }
        }
    }
}

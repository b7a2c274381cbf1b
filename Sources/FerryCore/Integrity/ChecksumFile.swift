/// The digests of files, as written by `sha256sum` and similar tools beside a download.
///
/// These lines are read: those of GNU (`HEX  NAME`, `HEX *NAME`, also with one blank), whose algorithm follows from
/// the number of digits; those of BSD and OpenSSL (`SHA256 (NAME) = HEX`); both with a leading backslash if the name
/// is escaped; and a digest alone. All other lines are skipped, such as comments, signatures and other digests.
package struct ChecksumFile: Hashable, Sendable {
    /// The digests, in the order of the file.
    package let entries: [Entry]

    /// The names of the lines with an unknown algorithm, such as `BLAKE2b (NAME) = HEX`, in order.
    package let unknown: [String]

    /// The digest of one file.
    package struct Entry: Hashable, Sendable {
        /// The line, counted from 1.
        package let line: Int
        /// The name as written, perhaps with a path; `nil` for a digest alone, or of standard input.
        package let name: String?
        /// The digest.
        package let checksum: Checksum

        /// Creates an entry.
        package init(line: Int, name: String?, checksum: Checksum) {
            self.line = line
            self.name = name
            self.checksum = checksum
        }
    }

    /// The longest text that is read, in bytes: more than a hundred thousand files (I9).
    package static let longest = 16 << 20

    /// Reads the text of a file. CR LF, a byte-order mark, empty lines and comments (`#`) are tolerated.
    ///
    /// - Throws: ``ParseError`` when it is longer than ``longest``, or has no digest.
    package init(parsing text: String) throws(ParseError) {
        guard text.utf8.count <= Self.longest else { throw .tooLong }
        var bytes = Array(text.utf8)[...]
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes = bytes.dropFirst(3) }
        var entries: [Entry] = []
        var unknown: [String] = []
        var number = 0
        for line in bytes.split(separator: 0x0A, omittingEmptySubsequences: false) {
            number += 1
            let reading = Line(line.last == 0x0D ? line.dropLast() : line)
            if let checksum = reading.checksum {
                entries.append(Entry(line: number, name: reading.name, checksum: checksum))
            } else if let name = reading.name {
                unknown.append(name)
            }
        }
        guard !entries.isEmpty else { throw .noDigest }
        self.entries = entries
        self.unknown = unknown
    }

    /// Returns the digest of a file: that of the same path, or else of the same last component. If the whole file has
    /// no names, it is the digest alone. If there are several algorithms, the strongest counts.
    ///
    /// - Throws: ``LookupError`` when the file has no digest for `path`, or different ones by one algorithm.
    package func checksum(of path: String) throws(LookupError) -> Checksum {
        let wanted = Self.path(path)
        var candidates = entries.filter { entry in
            entry.name.map { Self.path($0).elementsEqual(wanted) } ?? false
        }
        if candidates.isEmpty {
            let last = Self.lastComponent(path)
            candidates = entries.filter { entry in
                entry.name.map { Self.lastComponent($0).elementsEqual(last) } ?? false
            }
        }
        if candidates.isEmpty, entries.allSatisfy({ $0.name == nil }) { candidates = entries }
        for algorithm in Checksum.Algorithm.allCases {
            let digests = candidates.filter { $0.checksum.algorithm == algorithm }
            guard let first = digests.first else { continue }
            guard let other = digests.first(where: { $0.checksum != first.checksum }) else {
                return first.checksum
            }
            throw .ambiguous(lines: first.line, other.line)
        }
        let last = Self.lastComponent(path)
        let isUnknown = unknown.contains { Self.lastComponent($0).elementsEqual(last) }
        throw isUnknown ? .unknownAlgorithm : .notListed
    }

    /// The path for comparison, octet by octet. `find` writes a leading `./`.
    private static func path(_ name: String) -> Substring.UTF8View {
        name.utf8.starts(with: "./".utf8) ? name.utf8.dropFirst(2) : name[...].utf8
    }

    private static func lastComponent(_ name: String) -> Substring.UTF8View {
        guard let slash = name.utf8.lastIndex(of: 0x2F) else { return name[...].utf8 }
        return name.utf8[name.utf8.index(after: slash)...]
    }
}

extension ChecksumFile {
    /// Why a text is unusable as a whole.
    package enum ParseError: Error, Hashable, Sendable, CustomStringConvertible {
        /// It is longer than ``ChecksumFile/longest``.
        case tooLong
        /// No line has a known digest.
        case noDigest

        /// What is wrong, in a sentence for a person.
        package var description: String {
            switch self {
            case .tooLong: "It is longer than \(ChecksumFile.longest >> 20) MiB."
            case .noDigest: "It has no line such as 'HEX  NAME' or 'SHA256 (NAME) = HEX'."
            }
        }
    }

    /// Why there is no digest of a file.
    package enum LookupError: Error, Hashable, Sendable, CustomStringConvertible {
        /// The file is not listed.
        case notListed
        /// The file is listed, but only with unknown algorithms.
        case unknownAlgorithm
        /// These two lines, counted from 1, have different digests by one algorithm for the same name.
        case ambiguous(lines: Int, Int)

        /// What is wrong, in a sentence for a person.
        package var description: String {
            switch self {
            case .notListed: "It has no digest for a file of this name."
            case .unknownAlgorithm: "Its digests for a file of this name use unknown algorithms."
            case .ambiguous(let one, let other):
                "Its lines \(one) and \(other) have different digests for this name."
            }
        }
    }
}

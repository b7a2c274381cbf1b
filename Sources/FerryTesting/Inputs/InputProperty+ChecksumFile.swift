import FerryCore

extension InputProperty {
    /// A checksum file yields entries that are found by name and read back the same in either form.
    package static let checksumFile = InputProperty("checksum-file") { input in
        let file: ChecksumFile
        do throws(ChecksumFile.ParseError) {
            file = try ChecksumFile(parsing: input.text)
        } catch {
            return
        }
        let lines = input.lines.count
        var written = "\u{FEFF}# comment\r\n"
        for entry in file.entries {
            try require((1...lines).contains(entry.line), "the line of an entry is there")
            try requireWhole(entry.checksum)
            try require(entry.name != "" && entry.name != "-", "a name is one")
            written += line(entry, isTagged: entry.line % 2 == 0) + "\r\n"
        }
        let again = try ChecksumFile(parsing: written)
        try require(again.entries.count == file.entries.count, "what is written is read as as many")
        for (one, other) in zip(file.entries, again.entries) {
            try require(one.checksum == other.checksum, "with the same digests")
            try require(isSame(one.name ?? "", other.name ?? ""), "of the same names")
        }
        for name in file.entries.prefix(50).compactMap(\.name) { try requireFound(name, in: file) }
    }

    private static func line(_ entry: ChecksumFile.Entry, isTagged: Bool) -> String {
        let (algorithm, hex) = (entry.checksum.algorithm, entry.checksum.hex)
        guard let name = entry.name else { return "\(algorithm.rawValue) (-) = \(hex)" }
        var escaped = ""
        for scalar in name.unicodeScalars {
            switch scalar {
            case "\\": escaped += "\\\\"
            case "\n": escaped += "\\n"
            case "\r": escaped += "\\r"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        // A redundancy check alone does not identify its algorithm.
        let needsTag = isTagged || algorithm.redundancyCheck != nil
        return needsTag ? "\\\(algorithm.rawValue)(\(escaped))= \(hex)" : "\\\(hex) *\(escaped)"
    }

    /// Throws unless an existing name leads to one of its digests, or to two that differ.
    private static func requireFound(_ name: String, in file: ChecksumFile) throws {
        let found: Checksum
        do throws(ChecksumFile.LookupError) {
            found = try file.checksum(of: name)
        } catch {
            let differing = Set(file.entries.compactMap { $0.name == nil ? nil : $0.checksum })
            return try require(error != .notListed && differing.count > 1, "a name that is there is found")
        }
        try require(
            file.entries.contains { $0.name != nil && $0.checksum == found },
            "by a digest of the file"
        )
    }
}

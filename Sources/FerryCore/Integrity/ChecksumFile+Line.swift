extension ChecksumFile {
    /// One parsed line.
    struct Line {
        /// The digest; `nil` when the line has none, or its algorithm is unknown.
        private(set) var checksum: Checksum?
        /// The file's name; `nil` when none is given, or the line has no digest at all.
        private(set) var name: String?

        /// Reads a line without its line ending.
        init(_ line: ArraySlice<UInt8>) {
            var rest = line.drop(while: \.isBlank)
            let isEscaped = rest.first == 0x5C
            if isEscaped { rest = rest.dropFirst() }
            guard let (checksum, written) = Self.tagged(rest) ?? Self.plain(rest) ?? Self.unknown(rest)
            else {
                return
            }
            if let written, !written.elementsEqual([0x2D]) {
                let bytes = isEscaped ? Self.unescaped(written) : Array(written)
                guard let bytes, !bytes.isEmpty else { return }
                name = bytes.text
            }
            self.checksum = checksum
        }

        private typealias Parts = (checksum: Checksum?, name: ArraySlice<UInt8>?)

        /// `ALGORITHM (NAME) = HEX`; OpenSSL omits the blanks before the parenthesis and the equals sign.
        private static func tagged(_ line: ArraySlice<UInt8>) -> Parts? {
            guard let open = line.firstIndex(of: 0x28), let close = line.lastIndex(of: 0x29),
                open < close,
                let algorithm = Checksum.Algorithm(named: line[..<open].trimmingBlanks.text)
            else { return nil }
            let value = line[(close + 1)...].trimmingBlanks
            guard value.first == 0x3D,
                let checksum = Checksum(algorithm, hexadecimal: value.dropFirst().trimmingBlanks)
            else { return nil }
            return (checksum, line[(open + 1)..<close])
        }

        /// `WORD (NAME) = HEX`, where the word may be an algorithm.
        private static func unknown(_ line: ArraySlice<UInt8>) -> Parts? {
            guard let open = line.firstIndex(of: 0x28), let close = line.lastIndex(of: 0x29), open < close
            else { return nil }
            let word = line[..<open].trimmingBlanks
            let value = line[(close + 1)...].trimmingBlanks
            guard !word.isEmpty, !word.contains(where: \.isBlank), value.first == 0x3D,
                Checksum.Algorithm(named: word.text) == nil
            else { return nil }
            let digits = value.dropFirst().trimmingBlanks
            guard digits.count > 1, digits.allSatisfy({ $0.hexadecimalValue != nil }) else { return nil }
            return (nil, line[(open + 1)..<close])
        }

        /// `HEX  NAME`, with an asterisk for the second blank if the file was read as binary; or only `HEX`.
        private static func plain(_ line: ArraySlice<UInt8>) -> Parts? {
            let digits = line.prefix { $0.hexadecimalValue != nil }
            // With 8 or 16 digits the check is ambiguous.
            let algorithms: [Checksum.Algorithm] = [.sha512, .sha384, .sha256, .sha1, .md5]
            guard let algorithm = algorithms.first(where: { $0.length * 2 == digits.count }),
                let checksum = Checksum(algorithm, hexadecimal: digits)
            else { return nil }
            var rest = line[digits.endIndex...]
            guard !rest.trimmingBlanks.isEmpty else { return (checksum, nil) }
            guard let blank = rest.popFirst(), blank.isBlank else { return nil }
            if rest.first == 0x20 || rest.first == 0x2A { rest = rest.dropFirst() }
            return (checksum, rest)
        }

        /// Resolves GNU's escapes; `nil` for any other escape.
        private static func unescaped(_ name: ArraySlice<UInt8>) -> [UInt8]? {
            var output: [UInt8] = []
            output.reserveCapacity(name.count)
            var rest = name
            while let byte = rest.popFirst() {
                guard byte == 0x5C else {
                    output.append(byte)
                    continue
                }
                switch rest.popFirst() {
                case 0x5C: output.append(0x5C)
                case 0x6E: output.append(0x0A)
                case 0x72: output.append(0x0D)
                default: return nil
                }
            }
            return output
        }
    }
}

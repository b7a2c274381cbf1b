extension Metalink {
    /// A file that is being read.
    struct Draft {
        private let name: FileName
        private let path: String
        private var size: Int64?
        private var checksums: [Checksum] = []
        private var pieces: [PieceDigests] = []
        private var unknownTypes: [String] = []
        private var links: [MirrorLink] = []
        private var urls: Set<HTTPURL> = []
        /// The parts whose digests are being read; `nil` between them, and if their algorithm is unknown.
        private var open: (length: Int64, algorithm: Checksum.Algorithm, digests: [Checksum])?

        /// - Throws: ``ParseError/unsafeName`` for a missing name, or one that leads out of a directory (RFC 5854
        ///   §4.2.8.3).
        init(name path: String?) throws(ParseError) {
            guard let path, !path.utf8.starts(with: "/".utf8), !path.utf8.contains(0x5C) else {
                throw .unsafeName
            }
            let components = path.utf8.split(separator: 0x2F, omittingEmptySubsequences: false)
            let isSafe = components.allSatisfy {
                !$0.isEmpty && !$0.elementsEqual(".".utf8) && !$0.elementsEqual("..".utf8)
            }
            guard isSafe, let name = FileName.sanitized(path) else { throw .unsafeName }
            (self.name, self.path) = (name, path)
        }

        mutating func take(size digits: ArraySlice<UInt8>) throws(ParseError) {
            guard size == nil, let number = DecimalNumber(digits)?.fitting else { throw .size }
            size = number
        }

        mutating func take(hash digits: ArraySlice<UInt8>, type: String) throws(ParseError) {
            guard let algorithm = Checksum.Algorithm(named: type) else { return note(unknownType: type) }
            guard let checksum = Checksum(algorithm, hexadecimal: digits),
                !checksums.contains(where: { $0.algorithm == algorithm })
            else { throw .digest }
            checksums.append(checksum)
        }

        /// Takes a URL. Skips one that is invalid, has another scheme, or was taken before.
        mutating func take(url text: String, priority: String?, location: String?) {
            let url: HTTPURL
            do {
                url = try HTTPURL(parsing: text).withoutFragment
            } catch {
                return
            }
            // The author of the document must not have requests signed.
            guard url.scheme.store == nil else { return }
            if urls.insert(url).inserted {
                links.append(MirrorLink(url, priority: priority, location: location))
            }
        }

        mutating func beginPieces(_ attributes: [String: String]) throws(ParseError) {
            let type = attributes["type"] ?? ""
            guard let algorithm = Checksum.Algorithm(named: type) else { return note(unknownType: type) }
            let digits = Array((attributes["length"] ?? "").utf8).trimmingBlanks
            guard let length = DecimalNumber(digits)?.fitting, length > 0,
                !pieces.contains(where: { $0.algorithm == algorithm })
            else { throw .pieces }
            open = (length, algorithm, [])
        }

        /// Notes an unknown type. A few are enough to say why a file cannot be verified (I9).
        private mutating func note(unknownType type: String) {
            let type = ListFile.quotable(type)
            if unknownTypes.count < 8, !unknownTypes.contains(type) { unknownTypes.append(type) }
        }

        mutating func take(pieceHash digits: ArraySlice<UInt8>) throws(ParseError) {
            guard let algorithm = open?.algorithm else { return }
            guard let checksum = Checksum(algorithm, hexadecimal: digits) else { throw .digest }
            open?.digests.append(checksum)
        }

        mutating func endPieces() {
            defer { open = nil }
            guard let open else { return }
            if let read = PieceDigests(length: open.length, checksums: open.digests) { pieces.append(read) }
        }

        /// Returns the file if all of it fits together.
        func finished() throws(ParseError) -> File {
            for pieces in pieces where size.map({ !pieces.fit(size: $0) }) ?? false { throw .pieces }
            let strength = Checksum.Algorithm.allCases
            return File(
                name: name,
                path: path,
                size: size,
                checksums: strength.compactMap { algorithm in checksums.first { $0.algorithm == algorithm } },
                unknownDigestTypes: unknownTypes,
                pieces: strength.lazy
                    .compactMap { algorithm in pieces.first { $0.algorithm == algorithm } }
                    .first,
                mirrors: Array(links.inOrder.prefix(MirrorLink.most))
            )
        }
    }
}

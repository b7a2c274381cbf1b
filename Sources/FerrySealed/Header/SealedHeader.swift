/// The header of a sealed file: the file key for each recipient, and a code that authenticates all of it (age, "Header").
package struct SealedHeader: Sendable {
    /// The recipients.
    let stanzas: [Stanza]
    /// The text up to the mark of the authentication code, which covers it.
    let text: [UInt8]
    /// The authentication code.
    let code: [UInt8]
    /// The length of the header in bytes. The payload begins after it.
    package let length: Int

    private static let endMark = Array("---".utf8)
    /// The longest header that is read, in bytes: it has about 10,000 recipients.
    package static let longest = 1 << 20

    /// Reads the header at the beginning of a file.
    ///
    /// - Parameter bytes: the beginning of the file. ``HeaderFault/ends`` is final only if these are all of its bytes, or
    ///   more than ``longest``.
    /// - Throws: ``SealedProblem``: `notSealed`, `unknownVersion` or `header`.
    package init(reading bytes: [UInt8]) throws(SealedProblem) {
        guard bytes.starts(with: SealedMark.header) else {
            throw !bytes.isEmpty && SealedMark.header.starts(with: bytes) ? .header(.ends) : .notSealed
        }
        do throws(HeaderFault) {
            var lines = HeaderLines(bytes)
            let version = try lines.next().dropFirst(SealedMark.header.count)
            if version.elementsEqual(SealedMark.version) {
                self = try Self(lines: &lines, of: bytes)
                return
            }
        } catch {
            throw .header(error == .ends && bytes.count > Self.longest ? .tooLong : error)
        }
        throw .unknownVersion
    }

    /// Reads what follows the first line.
    private init(lines: inout HeaderLines, of bytes: [UInt8]) throws(HeaderFault) {
        var stanzas: [Stanza] = []
        while true {
            let begin = lines.offset
            let line = try lines.next()
            guard line.starts(with: Self.endMark) else {
                guard line.starts(with: Stanza.mark) else { throw .unknownLine(lines.number) }
                stanzas.append(try lines.stanza(after: line))
                continue
            }
            guard !stanzas.isEmpty else { throw .noStanza }
            let digits = line.dropFirst(Self.endMark.count)
            guard digits.first == 0x20, let code = UnpaddedBase64.decoded(digits.dropFirst()),
                code.count == 32
            else { throw .authenticationCode(line: lines.number) }
            (self.stanzas, self.code, length) = (stanzas, code, lines.offset)
            text = Array(bytes[..<(begin + Self.endMark.count)])
            return
        }
    }

    /// Writes a header.
    ///
    /// - Throws: ``KeyProblem/lowOrder`` for a key whose shared secret everyone knows.
    init(
        sealing key: FileKey,
        to recipients: Recipients,
        using random: inout some RandomNumberGenerator
    ) throws(KeyProblem) {
        var stanzas: [Stanza] = []
        switch recipients {
        case .keys(let first, let others):
            for recipient in [first] + others {
                stanzas.append(try Stanza(wrapping: key, for: recipient, using: &random))
            }
        case .passphrase(let passphrase, let work):
            stanzas = [Stanza(wrapping: key, with: passphrase, work: work, using: &random)]
        }
        self.stanzas = stanzas
        text = SealedMark.header + SealedMark.version + [0x0A] + stanzas.flatMap(\.encoded) + Self.endMark
        code = key.authenticationCode(of: text)
        length = text.count + 1 + UnpaddedBase64.encoded(code).count + 1
    }

    /// The header as it stands in a file.
    var encoded: [UInt8] { text + [0x20] + UnpaddedBase64.encoded(code) + [0x0A] }
}

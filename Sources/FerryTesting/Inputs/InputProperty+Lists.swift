import FerryCore
import HTTPTypes

extension InputProperty {
    /// A list yields transfers that are written and read back the same.
    package static let listFile = InputProperty("list-file") { input in
        let list: ListFile
        do throws(ListFile.ParseError) {
            list = try ListFile(parsing: input.text)
        } catch {
            try require((1...input.lines.count).contains(error.line), "the line that is wrong is there")
            try require(!error.description.utf8.contains { $0 < 0x20 }, "a message is one line")
            return
        }
        var written = ""
        for entry in list.entries {
            try require(!entry.urls.isEmpty, "a transfer has a URL")
            try require(!(entry.output ?? "").utf8.contains(0), "a path has no NUL")
            for url in entry.urls { try requireNormal(url) }
            written += entry.urls.map(\.absoluteString).joined(separator: "\t") + "\r\n"
            if let output = entry.output { written += " out=\(output)\r\n" }
            if let directory = entry.directory { written += " dir=\(directory)\r\n" }
            if let checksum = entry.checksum {
                written += " checksum=\(checksum.algorithm.rawValue)=\(checksum.hex)\r\n"
            }
            for header in entry.headers { written += " header=\(header.name.rawName): \(header.value)\r\n" }
        }
        let again = try ListFile(parsing: written)
        try require(again.entries.count == list.entries.count, "what is written is read as as many")
        for (one, other) in zip(list.entries, again.entries) {
            try require(one.urls == other.urls && one.checksum == other.checksum, "with the same URLs")
            try require(one.headers == other.headers, "and the same fields")
            try require(isSame(one.output ?? "", other.output ?? ""), "under the same name")
            try require(isSame(one.directory ?? "", other.directory ?? ""), "in the same directory")
        }
    }

    /// A header line yields a field that cannot start another one (RFC 9110 §5).
    package static let headerLine = InputProperty("header-line") { input in
        let line: HeaderLine
        do throws(HeaderLine.ParseError) {
            line = try HeaderLine(parsing: input.text)
        } catch {
            try require(!error.description.utf8.contains { $0 < 0x20 }, "a message is one line")
            return
        }
        try require(
            !line.value.utf8.contains { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F },
            "a value is one line"
        )
        try require(HTTPField.isValidValue(line.value), "and one that may be sent")
        try require(
            !line.name.rawName.utf8.contains { $0 <= 0x20 || $0 == 0x3A || $0 >= 0x7F },
            "a name is a token"
        )
        let again = try HeaderLine(parsing: "\(line.name.rawName): \(line.value)")
        try require(again == line, "what is written is read as the same")
    }

    /// `.netrc` yields entries that are read back the same when all their words are quoted.
    package static let netrc = InputProperty("netrc") { input in
        let netrc: Netrc
        do {
            netrc = try Netrc(parsing: input.text)
        } catch {
            return
        }
        var written = ""
        for entry in netrc.entries {
            written += entry.machine.map { "machine \(quoted($0))" } ?? "default"
            if let login = entry.login { written += " login \(quoted(login))" }
            if let password = entry.password { written += " password \(quoted(password))" }
            if let account = entry.account { written += " account \(quoted(account))" }
            written += "\n"
        }
        try require(try Netrc(parsing: written) == netrc, "what is written is read as the same")
        for entry in netrc.entries {
            guard let machine = entry.machine, let credentials = netrc.credentials(forHost: machine) else {
                continue
            }
            try requireOneLine(credentials)
        }
    }

    /// Throws unless credentials fit in one field.
    static func requireOneLine(_ credentials: Credentials) throws(Violation) {
        let value = credentials.authorizationFieldValue
        try require(!value.utf8.contains { $0 < 0x20 || $0 == 0x7F }, "credentials begin no other field")
    }

    private static func quoted(_ word: String) -> String {
        var bytes: [UInt8] = [0x22]
        for byte in word.utf8 {
            switch byte {
            case 0x0A: bytes += [0x5C, 0x6E]
            case 0x22, 0x5C: bytes += [0x5C, byte]
            default: bytes.append(byte)
            }
        }
        return String(decoding: bytes + [0x22], as: UTF8.self)
    }
}

import Ferry

/// A form to send, as `--form` gives its fields. With a file it is `multipart/form-data` (RFC 7578), otherwise it is
/// URL-encoded.
struct RequestForm: Hashable, Sendable {
    private struct Field: Hashable, Sendable {
        var name: String
        var content: Content
    }

    private enum Content: Hashable, Sendable {
        case text(String)
        /// A file: its absolute path, the name that the server learns, and its media type.
        case file(path: String, name: String, type: String)
    }

    private let fields: [Field]

    /// Reads fields, each as `NAME=VALUE`, `NAME=@FILE` or `NAME=@FILE;type=MEDIATYPE`.
    ///
    /// - Throws: ``CommandFailure`` with status 64 for anything else, and 15 for a file that cannot be read.
    init(_ lines: [String], _ environment: ProcessEnvironment) throws(CommandFailure) {
        var fields: [Field] = []
        for line in lines {
            guard let sign = line.firstIndex(of: "="), sign != line.startIndex else {
                throw .usage("--form must look like NAME=VALUE, or NAME=@FILE.")
            }
            let value = line[line.index(after: sign)...]
            let content =
                value.first == "@" ? try Self.file(value.dropFirst(), environment) : .text("\(value)")
            fields.append(Field(name: "\(line[..<sign])", content: content))
        }
        self.fields = fields
    }

    private static func file(
        _ value: Substring,
        _ environment: ProcessEnvironment
    ) throws(CommandFailure) -> Content {
        var (path, type) = (value, "application/octet-stream")
        if let mark = value.ranges(of: ";type=").last {
            (path, type) = (value[..<mark.lowerBound], "\(value[mark.upperBound...])")
        }
        guard !path.isEmpty, path != "-" else { throw .usage("--form NAME=@FILE needs the name of a file.") }
        guard !type.isEmpty, type.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw .usage("--form: \(QuotedWord(type)) is not a media type, such as image/jpeg.")
        }
        let absolute = try RequestContent.fileToSend("\(path)", environment)
        return .file(path: absolute, name: FilePath.split("\(path)").name, type: type)
    }

    private var hasFiles: Bool {
        fields.contains { field in
            if case .file = field.content { true } else { false }
        }
    }

    /// The field that names the encoding.
    ///
    /// - Parameter boundary: separates the fields if there are files.
    func contentType(boundary: String) -> HeaderField {
        let value =
            hasFiles ? "multipart/form-data; boundary=\(boundary)" : "application/x-www-form-urlencoded"
        return .init(name: "Content-Type", value: value)
    }

    /// The body.
    func parts(boundary: String) -> [RequestContent.Part] {
        guard hasFiles else { return [.bytes(Array(urlEncoded.utf8))] }
        var parts: [RequestContent.Part] = []
        var text = ""
        for field in fields {
            text += "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(Self.quoted(field.name))\""
            switch field.content {
            case .text(let value): text += "\r\n\r\n\(value)\r\n"
            case .file(let path, let name, let type):
                text += "; filename=\"\(Self.quoted(name))\"\r\nContent-Type: \(type)\r\n\r\n"
                parts += [.bytes(Array(text.utf8)), .file(path)]
                text = "\r\n"
            }
        }
        return parts + [.bytes(Array("\(text)--\(boundary)--\r\n".utf8))]
    }

    /// A name in a form with files, as the HTML standard escapes it.
    private static func quoted(_ name: String) -> String {
        name.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "\"": result += "%22"
            case "\r": result += "%0D"
            case "\n": result += "%0A"
            default: result.unicodeScalars.append(scalar)
            }
        }
    }

    private var urlEncoded: String {
        fields.compactMap { field in
            guard case .text(let value) = field.content else { return nil }
            return Self.encoded(field.name) + "=" + Self.encoded(value)
        }.joined(separator: "&")
    }

    /// A text in the form encoding of the URL standard.
    private static func encoded(_ text: String) -> String {
        text.utf8.reduce(into: "") { result, byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2A, 0x2D, 0x2E, 0x5F:
                result.unicodeScalars.append(Unicode.Scalar(byte))
            case 0x20: result += "+"
            default: result += PercentEncoded.octet(byte)
            }
        }
    }
}

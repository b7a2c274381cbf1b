import Ferry

/// The body of a request, and the header fields that follow from how it was given.
struct RequestContent: Hashable, Sendable {
    /// The body.
    let bytes: [UInt8]
    /// Fields to send unless the user gives others of the same name.
    let fields: [HeaderField]

    /// Reads the body.
    ///
    /// - Throws: ``CommandFailure`` with status 64 for invalid or contradictory options and for a body that is too
    ///   long, and 15 for a file that cannot be read.
    init(_ input: SendInput, _ environment: ProcessEnvironment) throws(CommandFailure) {
        let given = [
            input.data.map { _ in "--data" }, input.dataFile.map { _ in "--data-file" },
            input.dataJSON.map { _ in "--data-json" }, input.form.isEmpty ? nil : "--form",
        ].compactMap { $0 }
        if given.count > 1 { throw .usage("\(given[0]) and \(given[1]) cannot be used together.") }
        if let text = input.data {
            try self.init(text: text)
        } else if let path = input.dataFile {
            try self.init(file: path, environment)
        } else if let text = input.dataJSON {
            try self.init(json: text)
        } else if !input.form.isEmpty {
            try self.init(form: input.form)
        } else {
            self.init(bytes: [], fields: [])
        }
        guard bytes.count <= RequestSpecification.longestBody else {
            throw .usage(
                "The body is longer than \(ByteCount(Int64(RequestSpecification.longestBody)).formatted), and nothing was sent.",
                hint: "A request is stored together with its body. Divide the body among several requests."
            )
        }
    }

    private init(bytes: [UInt8], fields: [HeaderField]) {
        (self.bytes, self.fields) = (bytes, fields)
    }

    private init(text: String) throws(CommandFailure) {
        guard !text.hasPrefix("@") else {
            throw .usage(
                "--data sends its text as it is, and reads no file; nothing was sent.",
                hint: "--data-file FILE sends a file. For a text that begins with @, use `--data-file -`."
            )
        }
        (bytes, fields) = (Array(text.utf8), [])
    }

    private init(file path: String, _ environment: ProcessEnvironment) throws(CommandFailure) {
        guard !path.isEmpty else { throw .usage("--data-file needs a file name.") }
        do {
            let expanded = FilePath.expandingTilde(path, home: environment.home)
            bytes = try FileReader.read(expanded, atMost: RequestSpecification.longestBody + 1).bytes
        } catch {
            let name = path == "-" ? "standard input" : QuotedWord(path).description
            throw CommandFailure(.cannotOpen, code: "cannotOpen", "Cannot read \(name): \(error.reason).")
        }
        fields = []
    }

    private init(json text: String) throws(CommandFailure) {
        bytes = Array(text.utf8)
        guard JSONText.isValid(bytes) else {
            throw .usage(
                "--data-json is not valid JSON; nothing was sent.",
                hint: "Quote it for the shell, such as '{\"name\": \"value\"}'. --data sends any text."
            )
        }
        fields = ["Content-Type", "Accept"].map { .init(name: $0, value: "application/json") }
    }

    private init(form pairs: [String]) throws(CommandFailure) {
        let parts = try pairs.map { pair throws(CommandFailure) in
            guard let sign = pair.firstIndex(of: "="), sign != pair.startIndex else {
                throw .usage("--form must look like NAME=VALUE.")
            }
            return Self.encoded(pair[..<sign]) + "=" + Self.encoded(pair[pair.index(after: sign)...])
        }
        bytes = Array(parts.joined(separator: "&").utf8)
        fields = [.init(name: "Content-Type", value: "application/x-www-form-urlencoded")]
    }

    /// A text in the form encoding of the URL standard.
    private static func encoded(_ text: Substring) -> String {
        text.utf8.reduce(into: "") { result, byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2A, 0x2D, 0x2E, 0x5F:
                result.unicodeScalars.append(Unicode.Scalar(byte))
            case 0x20: result += "+"
            default:
                let hex = String(byte, radix: 16, uppercase: true)
                result += hex.utf8.count < 2 ? "%0\(hex)" : "%\(hex)"
            }
        }
    }
}

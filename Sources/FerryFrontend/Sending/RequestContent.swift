import Ferry

/// The body of a request, and the header fields that follow from how it was given.
struct RequestContent: Hashable, Sendable {
    /// A part of the body.
    enum Part: Hashable, Sendable {
        /// Bytes, which are stored with the request.
        case bytes([UInt8])
        /// The file at this absolute path, which is read when the request is sent.
        case file(String)
        /// What a pipe gives, which is copied when the request is added.
        case pipe(PipedBody)
    }

    /// The parts of the body, in order.
    let parts: [Part]
    /// Fields to send unless the user gives others of the same name.
    let fields: [HeaderField]

    /// Reads the body.
    ///
    /// - Parameter boundary: separates the fields of a form with files.
    /// - Throws: ``CommandFailure`` with status 64 for invalid or contradictory options and for a body that is too
    ///   long, and 15 for a file that cannot be read.
    init(
        _ input: SendInput,
        boundary: @autoclosure () -> String,
        _ environment: ProcessEnvironment
    ) throws(CommandFailure) {
        let given = [
            input.data.map { _ in "--data" }, input.dataFile.map { _ in "--data-file" },
            input.dataJSON.map { _ in "--data-json" }, input.form.isEmpty ? nil : "--form",
        ].compactMap { $0 }
        if given.count > 1 { throw .usage("\(given[0]) and \(given[1]) cannot be used together.") }
        if let path = input.upload {
            try self.init(upload: path, environment)
        } else if let text = input.data {
            try self.init(text: text)
        } else if let path = input.dataFile {
            try self.init(file: path, only: input.isListed ? .file : .stream, environment)
        } else if let text = input.dataJSON {
            try self.init(json: text)
        } else if !input.form.isEmpty {
            let (form, mark) = (try RequestForm(input.form, environment), boundary())
            self.init(form.parts(boundary: mark), [form.contentType(boundary: mark)])
        } else {
            self.init([], [])
        }
        guard storedLength <= RequestSpecification.longestBody else {
            throw .usage(
                "The body is longer than \(ByteCount(Int64(RequestSpecification.longestBody)).formatted), and nothing was sent.",
                hint: "Give a longer body with --data-file, from a file or a pipe."
            )
        }
    }

    /// Whether the media type names a boundary that is in the body.
    var hasBoundary: Bool { fields.contains { $0.value.contains("boundary=") } }

    /// Whether it is text that looks like the fields of a form, such as `a=1&b=2`. Curl would send it as one.
    var looksLikeForm: Bool {
        // A text in Base64 may end with this sign.
        guard fields.isEmpty, parts.count == 1, case .bytes(let bytes)? = parts.first,
            let sign = bytes.firstIndex(of: UInt8(ascii: "=")), sign > 0, sign + 1 < bytes.count,
            bytes[sign + 1] != UInt8(ascii: "=")
        else { return false }
        let isName = bytes[..<sign].allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
            default: "-._~%+[]".utf8.contains(byte)
            }
        }
        return isName && !bytes.contains { $0 < 0x20 || $0 == UInt8(ascii: "{") }
    }

    /// Whether there is nothing to send.
    var isEmpty: Bool { parts.allSatisfy { $0 == .bytes([]) } }

    private var storedLength: Int {
        parts.reduce(0) { sum, part in
            if case .bytes(let bytes) = part { sum + bytes.count } else { sum }
        }
    }

    private init(_ parts: [Part], _ fields: [HeaderField]) {
        (self.parts, self.fields) = (parts, fields)
    }

    private init(text: String) throws(CommandFailure) {
        guard !text.hasPrefix("@") else {
            throw .usage(
                "--data sends its text as it is, and reads no file; nothing was sent.",
                hint: "--data-file FILE sends a file. For a text that begins with @, use `--data-file -`."
            )
        }
        (parts, fields) = ([.bytes(Array(text.utf8))], [])
    }

    /// Takes a short body as bytes, so that a file may be deleted at once. A longer file is read when it is sent. The rest
    /// of a longer pipe is copied when the request is added.
    private init(
        file path: String,
        only source: FileReader.Source,
        _ environment: ProcessEnvironment
    ) throws(CommandFailure) {
        guard !path.isEmpty else { throw .usage("--data-file needs a file name.") }
        fields = []
        let expanded = FilePath.expandingTilde(path, home: environment.home)
        do {
            let stream = try FileStream(expanded, from: source)
            let longest = RequestSpecification.longestBody
            var bytes: [UInt8] = []
            while bytes.count <= longest {
                let part = try stream.next()
                guard !part.isEmpty else {
                    parts = [.bytes(bytes)]
                    return
                }
                bytes += part
            }
            guard path == "-" || !stream.isRegularFile else {
                parts = [.file(try Self.fileToSend(path, environment))]
                return
            }
            parts = [.pipe(PipedBody(bytes, then: stream))]
        } catch let failure as CommandFailure {
            throw failure
        } catch let problem as FileReader.Problem {
            throw Self.unreadable(path, problem)
        } catch {
            throw CommandFailure(error)
        }
    }

    private init(upload path: String, _ environment: ProcessEnvironment) throws(CommandFailure) {
        if path == "-" {
            try self.init(file: path, only: .stream, environment)
        } else {
            self.init([.file(try Self.fileToSend(path, environment))], [])
        }
    }

    /// The absolute path of a file that is read when the request is sent.
    ///
    /// - Throws: ``CommandFailure`` with status 15 unless it is a regular file that can be read.
    static func fileToSend(_ path: String, _ environment: ProcessEnvironment) throws(CommandFailure) -> String
    {
        let expanded = FilePath.expandingTilde(path, home: environment.home)
        do {
            _ = try FileReader.check(expanded)
        } catch {
            throw unreadable(path, error)
        }
        return FilePath.absolute(expanded, in: environment.workingDirectory)
    }

    /// The failure for a file that cannot be read.
    private static func unreadable(_ path: String, _ problem: FileReader.Problem) -> CommandFailure {
        let name = path == "-" ? "standard input" : QuotedWord(path).description
        return CommandFailure(
            unreadable: name,
            problem,
            hint: problem.isDirectory
                ? "`ferry put -r DIRECTORY URL/` sends the files below a directory." : nil
        )
    }

    private init(json text: String) throws(CommandFailure) {
        let bytes = Array(text.utf8)
        guard JSONText.isValid(bytes) else {
            throw .usage(
                "--data-json is not valid JSON; nothing was sent.",
                hint: "Quote it for the shell, such as '{\"name\": \"value\"}'. --data sends any text."
            )
        }
        parts = [.bytes(bytes)]
        fields = ["Content-Type", "Accept"].map { .init(name: $0, value: "application/json") }
    }
}

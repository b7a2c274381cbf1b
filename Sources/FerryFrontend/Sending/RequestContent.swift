import Ferry

/// The body of a request, and the header fields that follow from how it was given.
struct RequestContent: Hashable, Sendable {
    /// A part of the body.
    enum Part: Hashable, Sendable {
        /// Bytes, which are stored with the request.
        case bytes([UInt8])
        /// The file at this absolute path, which is read when the request is sent.
        case file(String)
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
        boundary: String,
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
            try self.init(file: path, environment)
        } else if let text = input.dataJSON {
            try self.init(json: text)
        } else if !input.form.isEmpty {
            let form = try RequestForm(input.form, environment)
            self.init(form.parts(boundary: boundary), [form.contentType(boundary: boundary)])
        } else {
            self.init([], [])
        }
        guard storedLength <= RequestSpecification.longestBody else {
            throw .usage(
                "The body is longer than \(ByteCount(Int64(RequestSpecification.longestBody)).formatted), and nothing was sent.",
                hint: "A longer body must be in a file; give it with --data-file FILE."
            )
        }
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

    /// Takes a short file as bytes, so that it may be deleted at once. A longer one is read when it is sent.
    private init(file path: String, _ environment: ProcessEnvironment) throws(CommandFailure) {
        guard !path.isEmpty else { throw .usage("--data-file needs a file name.") }
        fields = []
        let expanded = FilePath.expandingTilde(path, home: environment.home)
        do {
            let longest = RequestSpecification.longestBody
            let bytes = try FileReader.read(expanded, atMost: longest + 1).bytes
            guard bytes.count > longest, path != "-" else {
                parts = [.bytes(bytes)]
                return
            }
        } catch {
            throw Self.unreadable(path, error)
        }
        // Of a pipe, part would be gone now, so this accepts regular files only.
        parts = [.file(try Self.fileToSend(path, environment))]
    }

    private init(upload path: String, _ environment: ProcessEnvironment) throws(CommandFailure) {
        (parts, fields) = ([.file(try Self.fileToSend(path, environment))], [])
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
        return CommandFailure(.cannotOpen, code: "cannotOpen", "Cannot read \(name): \(problem.reason).")
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

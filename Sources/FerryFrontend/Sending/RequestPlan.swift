package import Ferry

/// The request of a command line. Everything on this machine is read and checked here, before anything is stored or
/// sent.
package struct RequestPlan: Sendable {
    /// The request, without files in its body.
    package private(set) var request: RequestSpecification
    /// Where it is in its list; `nil` for a command line.
    package internal(set) var place: String?
    /// Where the body of the response goes, if `-o` names that.
    package private(set) var output: ResponseOutput?
    /// Warnings for the user.
    package private(set) var warnings: [String] = []

    private let content: RequestContent
    private let values: [ValueInput]
    private let digests: BodyDigests
    private let uuid: TransferUUID
    private let placement: PlacementInput
    private let type: TransferType?
    /// The protocol by which an interrupted upload is resumed; `nil` for one request.
    private let protocolName: UploadProtocolName?
    private let partSize: Int64?
    /// The path of the file below the directory that is uploaded, if the server is told it.
    private let relativePath: String?
    /// The rate limit of its own that the command line names.
    private var ownLimit: RateLimit?

    /// Reads the input.
    ///
    /// - Parameters:
    ///   - uuid: the name of the transfer, from which its key is made.
    ///   - terms: those of the command line.
    /// - Throws: ``CommandFailure`` with status 64 for invalid arguments, and 15 for a file that cannot be read.
    package init(_ input: SendInput, uuid: TransferUUID, terms: SendTerms) throws(CommandFailure) {
        let method = try Self.method(input.method)
        if let warning = Self.warning(about: method) { warnings.append(warning) }
        let url = try Self.url(input.url)
        content = try RequestContent(input, boundary: "ferry-\(uuid)", terms.environment)
        digests = try BodyDigests(input)
        guard method != .trace || content.isEmpty else {
            throw .usage("A TRACE request cannot have a body.")
        }
        let key = try Self.key(input, method, uuid)
        do {
            request = try RequestSpecification(method: method, url: url, key: key)
        } catch {
            throw .usage(error.description)
        }
        (request.replacesUnfinished, request.sendsAgain) = (input.replacesUnfinished, input.sendsAgain)
        protocolName = input.replacesUnfinished ? try input.uploading.name(for: url) : nil
        partSize = try input.uploading.bytesOfPart()
        relativePath = protocolName == .tus ? input.uploading.relativePath : nil
        guard protocolName == nil || digests.algorithms.isEmpty else {
            throw .usage(
                "A digest in a header field is for an upload in one request.",
                hint: "Leave it out, or add --protocol put."
            )
        }
        (self.uuid, placement, type) = (uuid, input.placement, input.type)
        values = try ValueInput.all(input.values)
        try request.exchange.apply(input.request, reading: ExchangeTerms.fieldOfRequest)
        request.exchange.connection = terms.connection
        if let key, let field = request.exchange.headers.first(where: { $0.isNamed(key.field) }) {
            throw .usage(
                "-H '\(field.name)' and a key of Ferry cannot be used together.",
                hint: "--key KEY sets the value of that field, and --no-key leaves it to -H."
            )
        }
        try addFieldsOfBody()
        request.exchange.connection.proxy = terms.routes.proxy(for: url)
        request.exchange.proxies = terms.routes.proxies
        warnings += terms.warnings
        request.exchange.credentials =
            request.exchange.credentials
            ?? terms.passwords.credentials(for: request.url, headers: request.exchange.headers)
        if let count = input.connection.retries {
            request.retries = try WorkTerms.count(count, "--retries")
        }
        try request.terms.apply(placement)
        for status in input.success {
            guard (300...599).contains(status) else {
                throw .usage("--success takes a status from 300 to 599, such as 404, and not \(status).")
            }
            request.acceptedStatuses.insert(status)
        }
        try checkValues()
        try takeOutput(input, terms)
        if let text = input.responseLimit { request.responseLimit = try Self.responseLimit(text) }
    }

    /// Decides where the body of the response goes.
    private mutating func takeOutput(_ input: SendInput, _ terms: SendTerms) throws(CommandFailure) {
        output = try ResponseOutput(userGiven: input.output, terms.environment)
        if input.overwrites, output == nil { throw .usage("--overwrite needs -o FILE.") }
        guard case .file(let directory, let name)? = output else { return }
        request.responseFile = ResponseFile(
            directory: directory,
            name: name,
            replacesExisting: input.overwrites
        )
    }

    /// Gives the transfer its own rate limit.
    package mutating func limit(to rate: RateLimit) {
        ownLimit = rate
        request.terms.rateLimit = rate
    }

    /// The transfer to add.
    ///
    /// - Throws: what the preparation throws.
    package func transfer(_ preparation: RequestPreparation) async throws -> NewTransfer {
        var request = request
        var body = StoredBody()
        for part in content.parts {
            switch part {
            case .bytes(let bytes): body.append(bytes)
            case .file(let path): body.append(try await preparation.pin(path))
            case .pipe(let pipe): body = try await preparation.copy(pipe, uuid)
            }
        }
        if !digests.algorithms.isEmpty {
            let checksums = try await preparation.digests(body, digests.algorithms)
            request.exchange.headers += digests.headers(checksums)
        }
        if let upload = upload(of: body) { return placed(NewTransfer(upload, uuid: uuid)) }
        try request.carry(body)
        for value in values { try await value.insert(into: &request, uuid: preparation.uuid) }
        return placed(NewTransfer(request, uuid: uuid))
    }

    /// The upload of a body that is one file, by a protocol that resumes it; `nil` for one request.
    private func upload(of body: StoredBody) -> UploadSpecification? {
        guard let protocolName, body.bytes.isEmpty, body.files.count == 1, let file = body.files.first,
            !file.isCopy
        else { return nil }
        var upload = UploadSpecification(file, as: request, by: protocolName)
        upload.partSize = partSize
        if let relativePath { upload.metadata = [HeaderField(name: "relativePath", value: relativePath)] }
        return upload
    }

    /// The transfer with its place among others.
    private func placed(_ transfer: NewTransfer) -> NewTransfer {
        var placed = transfer
        placed.queue = placement.queue ?? NewTransfer.defaultQueue
        placed.priority = placement.priority
        (placed.after, placed.afterUUIDs) = (placement.after, placement.afterUUIDs)
        (placed.type, placed.tag) = (type, placement.tag)
        placed.namedRateLimit = ownLimit
        if placement.namesWindow { placed.namedWindow = request.terms.window }
        return placed
    }

    /// An error of the store about one of several requests, with its place in their list.
    package static func located(_ error: StoreError, among plans: [RequestPlan]) -> any Error {
        // Of two requests with one UUID, the later one is refused.
        guard let place = plans.last(where: { $0.isMeant(by: error) })?.place else { return error }
        return CommandFailure(error).located(at: place)
    }

    /// Whether an error is about its UUID, or about a transfer that it names.
    private func isMeant(by error: StoreError) -> Bool {
        switch error {
        case .otherTransferNamed(let uuid, _): uuid == self.uuid
        case .noTransferNamed(let uuid):
            placement.afterUUIDs.contains(uuid) || values.contains { $0.source == .uuid(uuid) }
        case .noSuchTransfer(let id), .notPossible(let id, _, _):
            placement.after.contains(id) || values.contains { $0.source == .id(id) }
        default: false
        }
    }

    // MARK: Pieces

    private func checkValues() throws(CommandFailure) {
        guard values.isEmpty || digests.algorithms.isEmpty else {
            throw .usage(
                "--value and a digest of the body cannot be used together: the body is not complete yet."
            )
        }
        var request = request
        if case .bytes(let bytes)? = content.parts.first, content.parts.count == 1 {
            do {
                try request.carry(StoredBody(bytes))
            } catch {
                throw .usage(error.description)
            }
        }
        for value in values { try value.check(for: request) }
    }

    /// Adds the fields that follow from how the body was given.
    private mutating func addFieldsOfBody() throws(CommandFailure) {
        if let field = request.exchange.headers.first(where: { field in
            digests.names.contains { field.isNamed($0) }
        }) {
            throw .usage("-H '\(field.name)' and the option for this field cannot be used together.")
        }
        if content.hasBoundary, request.exchange.headers.contains(where: { $0.isNamed("Content-Type") }) {
            throw .usage(
                "-H 'Content-Type' and a form with files cannot be used together; nothing was sent.",
                hint: "Leave it out: ferry sends multipart/form-data, with the boundary between the fields."
            )
        }
        for field in content.fields
        where !request.exchange.headers.contains(where: { $0.isNamed(field.name) }) {
            request.exchange.headers.append(field)
        }
        if content.looksLikeForm, !request.exchange.headers.contains(where: { $0.isNamed("Content-Type") }) {
            warnings.append("The body has no media type; `--form a=1` sends a form.")
        }
    }

    private static func method(_ text: String) throws(CommandFailure) -> HTTPRequest.Method {
        guard let method = HTTPRequest.Method(rawValue: text) else {
            throw .usage(
                "\(QuotedWord(text)) is not a method.",
                hint: "The method comes before the URL, as in `ferry send POST https://example.org/`."
            )
        }
        guard method != .connect else {
            throw .usage("CONNECT opens a tunnel through a proxy, and cannot be sent.", hint: "See --proxy.")
        }
        return method
    }

    /// Warns about a method in lower case: methods are case-sensitive (RFC 9110 §9.1), so it is sent as typed.
    private static func warning(about method: HTTPRequest.Method) -> String? {
        let usual: [HTTPRequest.Method] = [.get, .head, .post, .put, .delete, .patch, .options, .trace]
        let upper = method.rawValue.uppercased()
        guard upper != method.rawValue, usual.contains(where: { $0.rawValue == upper }) else { return nil }
        return "The method \(method.rawValue) is sent as typed; most servers know only \(upper)."
    }

    private static func url(_ text: String) throws(CommandFailure) -> HTTPURL {
        do {
            return try HTTPURL(typed: text)
        } catch {
            throw .usage(error.description)
        }
    }

    private static func key(
        _ input: SendInput,
        _ method: HTTPRequest.Method,
        _ uuid: TransferUUID
    ) throws(CommandFailure) -> IdempotencyKey? {
        if let text = input.key {
            guard !input.sendsNoKey else { throw .usage("--key and --no-key cannot be used together.") }
            guard !text.isEmpty, let key = IdempotencyKey(text: text) else {
                throw .usage("--key must have printable ASCII characters only, and at least one.")
            }
            return key
        }
        return input.sendsNoKey || method.isIdempotent ? nil : IdempotencyKey(text: "\(uuid)")
    }

    private static func responseLimit(_ text: String) throws(CommandFailure) -> Int {
        let most = Int64(RequestSpecification.longestResponse)
        do {
            let bytes = try ByteCount(parsing: text).bytes
            guard bytes <= most else {
                throw CommandFailure.usage(
                    "--response-limit must be at most \(ByteCount(most).formatted)."
                )
            }
            return Int(bytes)
        } catch let failure as CommandFailure {
            throw failure
        } catch {
            throw .usage("--response-limit: \(error)")
        }
    }
}

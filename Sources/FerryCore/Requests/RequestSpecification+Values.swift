import HTTPTypes

/// Values of earlier responses.
extension RequestSpecification {
    /// Puts a value of an earlier response in place of each `{name}` in the URL's path and query, in the values of header
    /// fields, and in a JSON body. Other braces stay. The request then also comes after that transfer.
    ///
    /// A URL gets the value percent-encoded. A string of the body that is exactly `"{name}"` becomes the JSON value itself;
    /// within a longer string the value is put in as text. Only a string, a number, `true` and `false` have a text.
    ///
    /// The value is taken, and stored, when the earlier request completes. If it is not there or cannot be used, this request
    /// fails with ``TransferFailure/Code/valueMissing``, and nothing is sent.
    ///
    /// - Parameters:
    ///   - name: letters, digits, `_`, `-` and `.`, up to 64 of them.
    ///   - source: the earlier request.
    ///   - pointer: where the value is in the body of its response, such as `/photo/id` (JSON Pointer, RFC 6901).
    /// - Throws: ``Flaw`` for a name or a pointer that is not one.
    public mutating func insert(
        _ name: String,
        from source: TransferUUID,
        at pointer: String
    ) throws(Flaw) {
        guard let place = JSONPointer(pointer) else { throw .pointer(pointer) }
        try insert(name, ValueSource(source: source, place: .body(place)))
    }

    /// Puts the value of a field of an earlier response in place of each `{name}`, as ``insert(_:from:at:)`` does.
    ///
    /// - Throws: ``Flaw`` for a name that is not one.
    public mutating func insert(
        _ name: String,
        from source: TransferUUID,
        field: String
    ) throws(Flaw) {
        guard HTTPField.Name(field) != nil else { throw .fieldName(field) }
        try insert(name, ValueSource(source: source, place: .field(field)))
    }

    private mutating func insert(_ name: String, _ value: ValueSource) throws(Flaw) {
        guard ValueSource.isName(name) else { throw .valueName(name) }
        values[name] = value
    }

    /// Whether the request has a place for the value of this name.
    ///
    /// - Throws: ``TransferFailure`` when no value can be put into it, such as for a body that is not valid JSON.
    package func mentions(_ name: String) throws(TransferFailure) -> Bool {
        var filled = self
        try filled.fill([name: #""-""#])
        return filled != self
    }

    /// The message to send: with the values in place of their names. The same values always give the same message.
    ///
    /// - Parameter taken: what was taken from earlier responses, by name.
    /// - Throws: ``TransferFailure`` when a value is missing, or cannot be put where its name is.
    package func message(with taken: [String: TakenValue]) throws(TransferFailure) -> RequestSpecification {
        guard !values.isEmpty else { return self }
        var texts: [String: String] = [:]
        for name in values.keys.sorted() {
            switch taken[name] {
            case .json(let text)?: texts[name] = text
            case .missing(let reason)?: throw TransferFailure(.valueMissing, reason)
            case nil: throw TransferFailure(.valueMissing, "No value was taken for '\(name)'.")
            }
        }
        var message = self
        try message.fill(texts)
        return message
    }

    /// - Parameter texts: JSON values by name.
    private mutating func fill(_ texts: [String: String]) throws(TransferFailure) {
        let placeholders = Placeholders(texts)
        url = try placeholders.filled(url)
        exchange.headers = try placeholders.filled(exchange.headers)
        guard body.files.isEmpty, !body.isEmpty, exchange.headers.haveJSONBody else { return }
        let filled = StoredBody(try placeholders.filled(body.bytes))
        do throws(Flaw) {
            try carry(filled)
        } catch {
            throw TransferFailure(.valueMissing, "With its values, the request cannot be sent. \(error)")
        }
    }
}

extension [HeaderField] {
    /// Whether the body that they describe is JSON (RFC 6839 §3.1).
    fileprivate var haveJSONBody: Bool {
        let type = first { $0.isNamed("Content-Type") }.flatMap { MediaType($0.value) }
        return type.map { $0.subtype == "json" || $0.subtype.hasSuffix("+json") } ?? false
    }
}

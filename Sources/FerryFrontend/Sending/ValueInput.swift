import Ferry

/// A value of an earlier response, as `NAME=ID:/POINTER` or `NAME=ID:FIELD`.
///
/// Nothing of it can be misread: no name has a `=`, no ID a `:`, a JSON Pointer begins with `/`, and no name of a field does.
struct ValueInput: Hashable, Sendable {
    /// An earlier request.
    enum Source: Hashable, Sendable {
        /// Its ID in this store.
        case id(TransferID)
        /// Its UUID.
        case uuid(TransferUUID)

        /// Parses an ID or a UUID; `nil` for any other text.
        init?(_ text: String) {
            if let uuid = TransferUUID(text) {
                self = .uuid(uuid)
            } else if let number = Int64(text), number > 0, "\(number)" == text {
                self = .id(TransferID(rawValue: number))
            } else {
                return nil
            }
        }
    }

    private let name: String
    let source: Source
    /// A JSON Pointer, or the name of a field.
    private let place: String

    private static let form = "such as id=7:/photo/id for a value of the JSON, or etag=7:ETag for a field"

    /// Reads `NAME=ID:PLACE`.
    ///
    /// - Throws: ``CommandFailure`` with status 64 for anything else.
    init(_ text: String) throws(CommandFailure) {
        guard let sign = text.firstIndex(of: "=") else {
            throw .usage("--value must look like NAME=ID:/POINTER or NAME=ID:FIELD, \(Self.form).")
        }
        name = "\(text[..<sign])"
        let text = text[text.index(after: sign)...]
        guard let colon = text.firstIndex(of: ":"), let source = Source("\(text[..<colon])") else {
            throw .usage(
                "--value \(QuotedWord(name)): the source must be the ID or the UUID of an earlier request, \(Self.form)."
            )
        }
        place = "\(text[text.index(after: colon)...])"
        guard !place.isEmpty else {
            throw .usage(
                "--value \(QuotedWord(name)): a JSON Pointer or the name of a field is missing, \(Self.form)."
            )
        }
        self.source = source
    }

    /// Puts the value into a request.
    ///
    /// - Throws: ``CommandFailure`` with status 64 for a name or a place that is not one.
    private func insert(
        into request: inout RequestSpecification,
        from uuid: TransferUUID
    ) throws(CommandFailure) {
        do {
            if place.hasPrefix("/") {
                try request.insert(name, from: uuid, at: place)
            } else {
                try request.insert(name, from: uuid, field: place)
            }
        } catch {
            throw .usage("--value: \(error)")
        }
    }

    /// Reads several.
    ///
    /// - Throws: ``CommandFailure`` with status 64 for anything else.
    static func all(_ texts: [String]) throws(CommandFailure) -> [ValueInput] {
        var values: [ValueInput] = []
        for text in texts { values.append(try ValueInput(text)) }
        return values
    }

    /// Checks all of it but its source, which may be added later.
    ///
    /// - Throws: ``CommandFailure`` with status 64 for a name or a place that is not one, and for a request that does not
    ///   name the value, or cannot have one.
    func check(for request: RequestSpecification) throws(CommandFailure) {
        var request = request
        try insert(into: &request, from: .none)
        let isMentioned: Bool
        do throws(TransferFailure) {
            isMentioned = try request.mentions(name)
        } catch {
            throw .usage("--value \(QuotedWord(name)): \(error.message)")
        }
        guard isMentioned else {
            throw .usage(
                "The request has no {\(name)} in its URL, in a header field or in a JSON body.",
                hint: "--value \(name)=... is put in place of {\(name)}."
            )
        }
    }

    /// Puts the value into a request.
    ///
    /// - Parameter uuid: finds the UUID of a transfer.
    /// - Throws: ``CommandFailure`` with status 64, and what `uuid` throws.
    func insert(
        into request: inout RequestSpecification,
        uuid: (TransferID) async throws -> TransferUUID
    ) async throws {
        switch source {
        case .id(let id): try insert(into: &request, from: try await uuid(id))
        case .uuid(let uuid): try insert(into: &request, from: uuid)
        }
    }
}

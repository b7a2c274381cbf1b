import FerryCore
import HTTPTypes

extension UploadRecord {
    /// What names the upload at the server.
    ///
    /// - Throws: ``TransferFailure`` when it was not created, which is a defect of the caller.
    func created() throws(TransferFailure) -> UploadHandle {
        guard let handle else {
            throw TransferFailure(.internalFault, "An upload that was not created was to be continued.")
        }
        return handle
    }

    /// The URL of the object with more parameters in its query.
    func url(_ parameters: String) throws(TransferFailure) -> HTTPURL {
        do {
            return try url.appending(query: parameters)
        } catch {
            throw TransferFailure(.refused, "The URL of the upload would be longer than a URL may be.")
        }
    }

    /// Whether a number of bytes is the length of the file.
    func isComplete(at offset: Int64) -> Bool { offset == length }
}

extension UploadStep {
    /// The failure of a step that a protocol does not have, which is a defect of the caller.
    func failure(in name: String) -> TransferFailure {
        TransferFailure(.internalFault, "\(name) has no step '\(word)'.")
    }

    private var word: String {
        switch self {
        case .discover: "discover"
        case .sendWhole: "send whole"
        case .create: "create"
        case .ask: "ask"
        case .append: "append"
        case .complete: "complete"
        case .look: "look"
        case .abort: "abort"
        }
    }
}

extension HTTPFields {
    /// Adds fields that were given.
    ///
    /// - Throws: ``TransferFailure`` for a name or a value that no field has.
    mutating func add(_ given: [HeaderField]) throws(TransferFailure) {
        for field in given { append(try Self.field(field.name, field.value)) }
    }

    /// Adds fields that were given. None with their names stays.
    mutating func replace(by given: [HeaderField]) throws(TransferFailure) {
        for field in given { self[try Self.field(field.name, field.value).name] = nil }
        try add(given)
    }

    /// Adds values that are stored with an object, each in a field whose name begins with a prefix.
    mutating func add(metadata given: [HeaderField], named prefix: String) throws(TransferFailure) {
        for field in given {
            // Stores disagree about how to write any other value, and signatures cover it.
            guard field.value.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
                throw TransferFailure(
                    .refused,
                    "A value that goes with the object has characters other than ASCII.",
                    remedies: [.sendAgain]
                )
            }
            append(try Self.field(prefix + field.name, field.value))
        }
    }

    private static func field(_ name: String, _ value: String) throws(TransferFailure) -> HTTPField {
        guard let name = HTTPField.Name(name), HTTPField.isValidValue(value) else {
            throw TransferFailure(
                .refused,
                "A header field of the upload is not valid.",
                remedies: [.sendAgain]
            )
        }
        return HTTPField(name: name, value: value)
    }
}

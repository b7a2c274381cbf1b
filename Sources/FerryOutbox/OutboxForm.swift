import Ferry
import FoundationEssentials

/// How `work` is written: the JSON of the specification.
///
/// Rows of an earlier ``version`` stay readable forever: an application may update Ferry while rows wait.
enum OutboxForm {
    /// The version that this Ferry writes, and the latest that it can read.
    static let version = 1

    /// The longest work in bytes of UTF-8. A body of `RequestSpecification.longestBody` fits.
    static let longest = 4 << 20

    /// The stored form of work.
    static func encoded(_ work: Work) throws -> String {
        switch work {
        case .download(let download): return try encoded(download.specification)
        case .upload(let upload): return try encoded(upload.specification)
        case .request(let request):
            var specification = request.specification
            // It is computed when the request is added to the store.
            specification.addedChecksum = nil
            return try encoded(specification)
        }
    }

    private static func encoded(_ specification: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(specification), as: UTF8.self)
    }

    /// Reads the stored form of work.
    static func transfer(_ kind: TransferKind, _ work: String) throws(Refusal) -> NewTransfer {
        switch kind {
        case .download: return NewTransfer(try decoded(DownloadSpecification.self, work))
        case .upload: return NewTransfer(try decoded(UploadSpecification.self, work))
        case .request:
            let request = try decoded(RequestSpecification.self, work)
            guard request.body.copy == nil else { throw Refusal("\(OutboxError.copiedBody)") }
            return NewTransfer(request)
        }
    }

    /// Reads a specification.
    static func decoded<Specification: Decodable>(
        _ type: Specification.Type,
        _ work: String
    ) throws(Refusal) -> Specification {
        do {
            return try JSONDecoder().decode(type, from: Data(work.utf8))
        } catch let error as DecodingError {
            throw Refusal("The work cannot be read: \(error.place).")
        } catch {
            // A specification says itself what it cannot be.
            throw Refusal("\(error)")
        }
    }

    /// Why a row is not taken over.
    struct Refusal: Error {
        let reason: String

        init(_ reason: String) { self.reason = reason }
    }
}

extension DecodingError {
    /// What is wrong, and where. The value is left out, because it may be a secret.
    fileprivate var place: String {
        func path(_ keys: [any CodingKey]) -> String {
            keys.map { key in key.intValue.map(String.init) ?? key.stringValue }.joined(separator: ".")
        }
        switch self {
        case .keyNotFound(let key, let context): return "\(path(context.codingPath + [key])) is missing"
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
            guard !context.codingPath.isEmpty else { return "it is not the JSON of such work" }
            return "\(path(context.codingPath)) has the wrong form"
        @unknown default: return "it has the wrong form"
        }
    }
}

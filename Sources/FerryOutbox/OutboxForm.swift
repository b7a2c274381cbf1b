import Ferry
import Foundation

/// How `work` is written: the JSON of the specification.
///
/// Rows of an earlier ``version`` stay readable forever: an application may update Ferry while rows wait.
enum OutboxForm {
    /// The version that this Ferry writes, and the latest that it can read.
    static let version = 1

    /// The longest work in bytes of UTF-8. A body of `RequestSpecification.longestBody` fits.
    static let longest = 4 << 20

    /// The stored form of a request or a download.
    static func encoded(_ specification: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(specification), as: UTF8.self)
    }

    /// Reads the stored form.
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

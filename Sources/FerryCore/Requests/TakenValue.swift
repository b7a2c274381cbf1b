/// The value that was taken from a completed response, or why there is none. It may be a secret.
package enum TakenValue: Hashable, Sendable, Codable {
    /// The value as JSON, as it was written; a field is a string.
    case json(String)
    /// There is no such value; why, in a sentence for a person.
    case missing(String)

    private enum CodingKeys: String, CodingKey {
        case json, missing
    }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        if let text = try fields.decodeIfPresent(String.self, forKey: .json) {
            self = .json(text)
        } else {
            self = .missing(try fields.decode(String.self, forKey: .missing))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .json(let text): try fields.encode(text, forKey: .json)
        case .missing(let reason): try fields.encode(reason, forKey: .missing)
        }
    }
}

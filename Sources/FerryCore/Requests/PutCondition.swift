/// What must be true at the server for a `PUT` to take effect (RFC 9110 §13.1).
///
/// Some servers ignore the conditions of a `PUT` and replace the file, such as nginx. So the server is asked for the head of
/// what it has there (`HEAD`) before the file is sent. The condition goes along all the same, because another client may
/// change the file in between.
enum PutCondition: Hashable, Sendable {
    /// The server has nothing there (`If-None-Match: *`).
    case absent
    /// The server has any version (`If-Match: *`).
    case present
    /// The server has one of these versions (`If-Match`).
    case version([EntityTag])
    /// The server has none of these versions (`If-None-Match`).
    case otherVersion([EntityTag])

    /// Reads a header field; `nil` for one that is no such condition.
    init?(_ field: HeaderField) {
        let isAny = Array(field.value.utf8).trimmingBlanks.text == "*"
        if field.isNamed("If-None-Match") {
            self = isAny ? .absent : .otherVersion(Self.tags(field.value))
        } else if field.isNamed("If-Match") {
            self = isAny ? .present : .version(Self.tags(field.value))
        } else {
            return nil
        }
    }

    /// The entity tags of a list. `W/` is left out: the comparison ignores it.
    private static func tags(_ value: String) -> [EntityTag] {
        guard value.contains("\"") else { return EntityTag(lenient: value).map { [$0] } ?? [] }
        let parts = value.split(separator: "\"", omittingEmptySubsequences: false)
        return parts.indices.filter { $0 % 2 == 1 }.compactMap { EntityTag("\"\(parts[$0])\"") }
    }

    /// What an answer to `HEAD` shows.
    enum Finding: Hashable, Sendable {
        /// The condition is true, or the server does not tell.
        case send
        /// The condition is false, for this reason.
        case broken(Breach)
        /// The server could not answer now. It is asked again later.
        case later
    }

    /// Why a condition is false.
    enum Breach: Hashable, Sendable {
        /// The server has something there.
        case taken
        /// The server has another version.
        case otherVersion
        /// The server has nothing there.
        case gone
        /// The server tells no version that can be compared.
        case noVersion

        /// What a person is told.
        func message(at host: String) -> String {
            let reason =
                switch self {
                case .taken: "already has something under this URL"
                case .otherVersion: "has another version under this URL by now"
                case .gone: "has nothing under this URL any more"
                case .noVersion: "tells no version (ETag) of what it has under this URL"
                }
            return "\(host) \(reason), so nothing was sent."
        }
    }

    /// Judges the answer to `HEAD`.
    ///
    /// Tags are compared without their `W/`: whether a weak tag is enough is for the server to say.
    func finding(_ answer: StoredResponse) -> Finding {
        switch answer.status {
        case 200...299: breach(by: answer).map(Finding.broken) ?? .send
        case 404, 410: isForSomething ? .broken(.gone) : .send
        case _ where RequestVerdict(answer.status, isRepeatable: true) == .tryAgain: .later
        default: .send
        }
    }

    private var isForSomething: Bool {
        switch self {
        case .present, .version: true
        case .absent, .otherVersion: false
        }
    }

    private func breach(by answer: StoredResponse) -> Breach? {
        let field = answer.fields.first { $0.isNamed("ETag") }
        let theirs = field.flatMap { EntityTag(lenient: $0.value) }
        switch self {
        case .absent: return .taken
        case .present: return nil
        case .version(let tags):
            guard let theirs else { return .noVersion }
            return tags.contains { $0.weakMatches(theirs) } ? nil : .otherVersion
        case .otherVersion(let tags):
            guard let theirs else { return nil }
            return tags.contains { $0.weakMatches(theirs) } ? .taken : nil
        }
    }
}

extension RequestSpecification {
    /// Whether the server is asked with `HEAD` whether the conditions of an upload are true, before it is sent.
    var asksAboutConditions: Bool {
        method == .put && replacesUnfinished && responseFile == nil && !conditions.isEmpty
            // A signature is for one method.
            && url == url.withoutSignature()
    }

    /// The conditions of a `PUT`.
    var conditions: [PutCondition] { exchange.headers.compactMap(PutCondition.init) }
}

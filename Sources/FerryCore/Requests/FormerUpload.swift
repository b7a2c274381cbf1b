package import HTTPTypes

/// What is known of a completed upload, when the same file is to be uploaded to the same URL again.
///
/// The server is asked for the head of what it has there (`HEAD`). If that is what was sent, nothing is sent again.
package struct FormerUpload: Hashable, Sendable, Codable {
    /// The file as it was sent.
    package let file: PinnedFile
    /// The entity tag that the server told; `nil` without one.
    private let entityTag: String?
    /// The date of the server's answer, as received; `nil` without one.
    private let date: String?

    /// Takes over what is known of a completed upload.
    ///
    /// - Parameters:
    ///   - sent: the file as it was sent.
    ///   - asked: the file that is to be sent now.
    ///   - entityTag: the entity tag that the server told.
    ///   - fields: the fields of its answer.
    /// - Returns: `nil` unless both are the same version of one file.
    package init?(of sent: PinnedFile?, as asked: PinnedFile?, _ entityTag: String?, _ fields: [HeaderField])
    {
        guard let sent, let asked, sent.isCertainlySame(as: asked) else { return nil }
        file = sent
        self.entityTag = entityTag
        date = fields.first { $0.isNamed("Date") }?.value
    }

    /// Why it is not certain that the server still has what was sent, so that the file is sent again.
    package enum Doubt: Hashable, Sendable, CaseIterable {
        /// The server has nothing under the URL any more.
        case gone
        /// The server has another version.
        case otherVersion
        /// The server tells no version that can be compared.
        case noVersion
        /// Nothing shows that the server still has it.
        case unproved

        /// What a person is told.
        package func note(at host: String) -> TransferNote {
            let reason =
                switch self {
                case .gone: "\(host) does not have it any more"
                case .otherVersion: "\(host) has another version"
                case .noVersion: "\(host) tells no version to compare (no ETag or date)"
                case .unproved: "nothing shows that \(host) still has it"
                }
            return TransferNote(.sentAgain, "Sent again, because \(reason).")
        }
    }

    /// How long a server may take from its last change of the file to its answer.
    private static let longestEnd: Duration = .seconds(60)

    /// Whether the server still has what was sent, by the answer to `HEAD`.
    ///
    /// A strong entity tag proves it. Without one, what is there must have been changed within ``longestEnd`` before the answer to
    /// the upload, by the server's own clock. An older file of equal length may be one that was put back there.
    ///
    /// - Parameter length: the length of what it has, in bytes.
    package func isStill(_ fields: HTTPFields, length: Int64?, at now: Instant) -> Bool {
        doubt(about: fields, length: length, at: now) == nil
    }

    private func doubt(about fields: HTTPFields, length: Int64?, at now: Instant) -> Doubt? {
        guard let length else { return .unproved }
        guard length == file.length else { return .otherVersion }
        if let own = entityTag.flatMap(EntityTag.init(lenient:)) {
            guard let theirs = fields[.eTag].flatMap(EntityTag.init(lenient:)) else { return .noVersion }
            guard own.weakMatches(theirs) else { return .otherVersion }
            if own.strongMatches(theirs) { return nil }
        }
        guard let answered = date.flatMap({ Instant(httpDate: $0, now: now) }),
            let changed = fields[.lastModified].flatMap({ Instant(httpDate: $0, now: now) })
        else { return .noVersion }
        return changed <= answered && changed.duration(to: answered) <= Self.longestEnd ? nil : .otherVersion
    }

    /// Why it is not certain that the server still has what was sent, with these fields, by the answer to `HEAD`; `nil` if it
    /// certainly has it.
    func doubt(about answer: StoredResponse, described: [HeaderField], at now: Instant) -> Doubt? {
        if [404, 410].contains(answer.status) { return .gone }
        guard (200...299).contains(answer.status) else { return .unproved }
        var fields = HTTPFields()
        for field in answer.fields {
            if let name = HTTPField.Name(field.name) {
                fields.append(HTTPField(name: name, value: field.value))
            }
        }
        guard described.allSatisfy({ $0.isTold(in: fields) }) else { return .unproved }
        let lengths = fields[values: .contentLength].map {
            DecimalNumber(Array($0.utf8).trimmingBlanks)?.fitting
        }
        return doubt(about: fields, length: lengths.count == 1 ? lengths[0] : nil, at: now)
    }
}

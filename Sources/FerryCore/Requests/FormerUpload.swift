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
        date = fields.first { $0.name.lowercased() == "date" }?.value
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
        guard length == file.length else { return false }
        if let own = entityTag.flatMap(Self.tag) {
            guard let theirs = fields[.eTag].flatMap(Self.tag), own.weakMatches(theirs) else { return false }
            if own.strongMatches(theirs) { return true }
        }
        guard let answered = date.flatMap({ Instant(httpDate: $0, now: now) }),
            let changed = fields[.lastModified].flatMap({ Instant(httpDate: $0, now: now) })
        else { return false }
        return changed <= answered && changed.duration(to: answered) <= Self.longestEnd
    }

    /// Whether the server still has what was sent, with these fields, by the answer to `HEAD`.
    func isStill(_ answer: StoredResponse, described: [HeaderField], at now: Instant) -> Bool {
        var fields = HTTPFields()
        for field in answer.fields {
            if let name = HTTPField.Name(field.name) {
                fields.append(HTTPField(name: name, value: field.value))
            }
        }
        let lengths = fields[values: .contentLength].map {
            DecimalNumber(Array($0.utf8).trimmingBlanks)?.fitting
        }
        return described.allSatisfy { $0.isTold(in: fields) }
            && isStill(fields, length: lengths.count == 1 ? lengths[0] : nil, at: now)
    }

    /// Some stores leave out the quotes in documents.
    private static func tag(_ text: String) -> EntityTag? {
        EntityTag(text.contains("\"") ? text : "\"\(text)\"")
    }
}

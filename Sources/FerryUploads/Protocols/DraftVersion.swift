import HTTPTypes

/// A version of the draft of resumable uploads, by the number that clients and servers agree on.
struct DraftVersion: Hashable, Sendable {
    /// The number in `Upload-Draft-Interop-Version`.
    let number: Int
    /// The field that says whether an upload is complete.
    let completeness: HTTPField.Name
    /// What the field says of an upload that is complete.
    let complete: Bool
    /// The media type of a part that is appended; `nil` for none.
    let mediaType: String?
    /// Whether an answer to the last part that is not marked as complete leaves the upload open.
    let marksCompletion: Bool

    /// All versions that a server in use may have, the latest first.
    static let all = [
        DraftVersion(8, .uploadComplete, true, "application/partial-upload", marks: true),
        DraftVersion(7, .uploadComplete, true, "application/partial-upload", marks: true),
        DraftVersion(6, .uploadComplete, true, "application/partial-upload", marks: false),
        DraftVersion(5, .uploadComplete, true, nil, marks: false),
        DraftVersion(4, .uploadComplete, true, nil, marks: false),
        DraftVersion(3, .uploadIncomplete, false, nil, marks: false),
    ]

    private init(
        _ number: Int,
        _ completeness: HTTPField.Name,
        _ complete: Bool,
        _ mediaType: String?,
        marks: Bool
    ) {
        self.number = number
        self.completeness = completeness
        self.complete = complete
        self.mediaType = mediaType
        marksCompletion = marks
    }
}

extension HTTPField.Name {
    static let uploadComplete = HTTPField.Name("Upload-Complete")!
    static let uploadIncomplete = HTTPField.Name("Upload-Incomplete")!
    static let uploadLimit = HTTPField.Name("Upload-Limit")!
    static let uploadDraftInteropVersion = HTTPField.Name("Upload-Draft-Interop-Version")!
}

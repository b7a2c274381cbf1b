/// The values of the response of a completed request that some other requests need.
///
/// The body is read once for all of them, and only their values are noted.
package struct ResponseValues {
    /// The completed request.
    let source: TransferUUID
    private let id: TransferID
    private let response: StoredResponse?
    /// The values in the body; `nil` if it is not JSON.
    private let found: [JSONPointer: ArraySlice<UInt8>]?

    /// Maximum bytes of one value.
    private static let longest = 64 << 10

    /// Looks for values in a response. Those of other sources are left out.
    ///
    /// - Parameter response: the one with which the request has succeeded; `nil` if none is stored.
    init(
        of source: TransferUUID,
        _ id: TransferID,
        _ response: StoredResponse?,
        for values: [ValueSource]
    ) {
        (self.source, self.id, self.response) = (source, id, response)
        let pointers = values.compactMap { value -> JSONPointer? in
            guard value.source == source, case .body(let pointer) = value.place else { return nil }
            return pointer
        }
        let isRead = !pointers.isEmpty && response?.isTruncated == false
        found = isRead ? JSONText.values(at: pointers, in: response?.body ?? []) : nil
    }

    /// The value at a place.
    subscript(place: ValueSource.Place) -> TakenValue {
        guard let response else {
            return .missing(
                "Transfer \(id) has no stored response of a success, so no value can be taken from it."
            )
        }
        let text: String
        switch place {
        case .field(let name):
            let all = response.fields.filter { $0.isNamed(name) }.map(\.value)
            guard !all.isEmpty else {
                return .missing("The response of transfer \(id) has no field \(name).")
            }
            // The wire replaces bytes that are not UTF-8. What it replaced is lost, so the value is not known.
            guard !all.contains(where: { $0.unicodeScalars.contains("\u{FFFD}") }) else {
                return .missing(
                    "The field \(name) of the response of transfer \(id) is not UTF-8, so no value is taken from it."
                )
            }
            // Several lines are one list (RFC 9110 §5.3).
            text = JSONText.quoted(all.joined(separator: ", "))
        case .body(let pointer):
            guard response.savedLength == nil else {
                return .missing(
                    "The body of the response of transfer \(id) was saved in a file, so no value is taken from it."
                )
            }
            guard !response.isTruncated else {
                return .missing(
                    "The response of transfer \(id) was not kept whole, so no value is taken from it."
                )
            }
            guard let found else {
                return .missing("The body of the response of transfer \(id) is not JSON.")
            }
            guard let value = found[pointer] else {
                return .missing("The response of transfer \(id) has no value at '\(pointer)'.")
            }
            text = String(decoding: value, as: UTF8.self)
        }
        guard text.utf8.count <= Self.longest else {
            return .missing(
                "The value of transfer \(id) has \(text.utf8.count) bytes; a value may have up to \(Self.longest)."
            )
        }
        return .json(text)
    }
}

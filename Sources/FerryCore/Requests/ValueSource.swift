/// A value of an earlier response that a request needs: where it comes from.
package struct ValueSource: Hashable, Sendable {
    /// The place of a value in a response.
    package enum Place: Hashable, Sendable {
        /// A value of its body, which is JSON.
        case body(JSONPointer)
        /// The field of this name.
        case field(String)
    }

    /// The request whose response has the value.
    package var source: TransferUUID
    /// Where in its response the value is.
    package var place: Place

    /// Maximum bytes of one value.
    static let longest = 64 << 10

    /// Maximum bytes of a name.
    static let longestName = 64

    /// Whether a text can be the name of a value: letters, digits, `_`, `-` and `.`, which no URL and no JSON escapes.
    package static func isName(_ name: String) -> Bool {
        (1...longestName).contains(name.utf8.count)
            && name.utf8.allSatisfy { $0.isLetter || $0.isDigit || [0x5F, 0x2D, 0x2E].contains($0) }
    }

    /// Takes the value from the response of a completed request.
    func taken(from response: StoredResponse?, of id: TransferID) -> TakenValue {
        guard let response else {
            return .missing(
                "Transfer \(id) has no stored response of a success, so no value can be taken from it."
            )
        }
        let text: String
        switch place {
        case .field(let name):
            let all = response.fields.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
            guard !all.isEmpty else {
                return .missing("The response of transfer \(id) has no field \(name).")
            }
            // Several lines are one list (RFC 9110 §5.3).
            text = JSONText.quoted(all.joined(separator: ", "))
        case .body(let pointer):
            guard !response.isTruncated else {
                return .missing(
                    "The response of transfer \(id) was not kept whole, so no value is taken from it."
                )
            }
            guard JSONText.isValid(response.body) else {
                return .missing("The body of the response of transfer \(id) is not JSON.")
            }
            guard let value = pointer.value(in: response.body[...]) else {
                return .missing("The response of transfer \(id) has no value at '\(pointer)'.")
            }
            text = String(decoding: value.trimmingJSONSpace, as: UTF8.self)
        }
        guard text.utf8.count <= Self.longest else {
            return .missing(
                "The value of transfer \(id) has \(text.utf8.count) bytes; a value may have up to \(Self.longest)."
            )
        }
        return .json(text)
    }
}

extension ArraySlice<UInt8> {
    /// The text of a JSON value without the white space around it (RFC 8259 §2).
    fileprivate var trimmingJSONSpace: ArraySlice<UInt8> {
        let isSpace: (UInt8) -> Bool = { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
        guard let first = firstIndex(where: { !isSpace($0) }),
            let last = lastIndex(where: { !isSpace($0) })
        else { return [] }
        return self[first...last]
    }
}

extension ValueSource: Codable {
    private enum CodingKeys: String, CodingKey {
        case source, pointer, field
    }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        guard let uuid = TransferUUID(try fields.decode(String.self, forKey: .source)) else {
            throw DecodingError.dataCorruptedError(
                forKey: .source,
                in: fields,
                debugDescription: "not a UUID"
            )
        }
        source = uuid
        guard let text = try fields.decodeIfPresent(String.self, forKey: .pointer) else {
            place = .field(try fields.decode(String.self, forKey: .field))
            return
        }
        guard let pointer = JSONPointer(text) else {
            throw DecodingError.dataCorruptedError(
                forKey: .pointer,
                in: fields,
                debugDescription: "not a JSON Pointer"
            )
        }
        place = .body(pointer)
    }

    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode("\(source)", forKey: .source)
        switch place {
        case .body(let pointer): try fields.encode("\(pointer)", forKey: .pointer)
        case .field(let name): try fields.encode(name, forKey: .field)
        }
    }
}

extension ValueSource: CustomStringConvertible {
    /// The source and the place, as the tool takes them.
    package var description: String {
        switch place {
        case .body(let pointer): "\(source):\(pointer)"
        case .field(let name): "\(source):\(name)"
        }
    }
}

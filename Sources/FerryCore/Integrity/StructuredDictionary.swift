import RawStructuredFieldValues

/// The byte sequences and the integers of a dictionary of structured fields (RFC 9651 §3.2).
///
/// Members of other types are skipped, but must be valid: a field with one mistake in it is ignored (§4.2).
package struct StructuredDictionary {
    /// The byte sequences by key; of a repeated key the last value counts.
    private(set) var byteSequences: [String: [UInt8]] = [:]
    /// The integers by key; of a repeated key the last value counts.
    package private(set) var integers: [String: Int64] = [:]
    /// The keys of all members, whatever their types.
    package private(set) var keys: Set<String> = []

    /// The longest field value, in bytes. The parser compares each key with all before it, so a server could keep it busy
    /// with many.
    static let longest = 8 << 10

    /// Reads a field value whose lines were joined with commas.
    ///
    /// - Returns: `nil` when it is not a dictionary, or too long.
    package init?(_ fieldValue: String) {
        guard fieldValue.utf8.count <= Self.longest else { return nil }
        var parser = StructuredFieldValueParser(Array(fieldValue.utf8))
        let members: OrderedMap<String, ItemOrInnerList>
        do {
            members = try parser.parseDictionaryFieldValue()
        } catch {
            return nil
        }
        for (key, member) in members {
            guard member.items.allSatisfy(\.isDecodable) else { return nil }
            keys.insert(key)
            guard case .item(let item) = member else { continue }
            byteSequences[key] = item.byteSequence
            if case .integer(let number) = item.rfc9651BareItem { integers[key] = number }
        }
    }
}

extension ItemOrInnerList {
    /// The item, or those of the list, each with its parameters; and the parameters of the list.
    fileprivate var items: [Item] {
        switch self {
        case .item(let item): [item]
        case .innerList(let list):
            Array(list.bareInnerList) + [Item(bareItem: true, parameters: list.rfc9651Parameters)]
        }
    }
}

extension Item {
    fileprivate var byteSequence: [UInt8]? { rfc9651BareItem.decoded }

    /// Whether its byte sequences are base64, which the parser does not check.
    fileprivate var isDecodable: Bool {
        ([rfc9651BareItem] + rfc9651Parameters.map(\.1)).allSatisfy { value in
            if case .undecodedByteSequence = value { value.decoded != nil } else { true }
        }
    }
}

extension RFC9651BareItem {
    /// The octets of a byte sequence.
    fileprivate var decoded: [UInt8]? {
        if case .undecodedByteSequence(let text) = self { Base64.decoded(text.utf8) } else { nil }
    }
}

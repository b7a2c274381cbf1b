/// The byte sequences of a dictionary of structured fields (RFC 9651 §3.2).
///
/// Members of other types are skipped, but must be valid: a field with one mistake in it is ignored as a whole
/// (§4.2).
struct StructuredDictionary {
    /// The byte sequences by key; of a repeated key the last value counts.
    private(set) var byteSequences: [String: [UInt8]] = [:]

    private var rest: ArraySlice<UInt8>

    /// Reads a field value whose lines were joined with commas.
    ///
    /// - Returns: `nil` when it is not a dictionary.
    init?(_ fieldValue: String) {
        rest = Array(fieldValue.utf8)[...]
        rest = rest.drop { $0 == 0x20 }
        while !rest.isEmpty {
            guard member() else { return nil }
            rest = rest.drop(while: \.isBlank)
            guard !rest.isEmpty else { return }
            guard take(0x2C) else { return nil }
            rest = rest.drop(while: \.isBlank)
            // A comma must be followed by another member.
            guard !rest.isEmpty else { return nil }
        }
    }

    private mutating func member() -> Bool {
        guard let key = key() else { return false }
        byteSequences[key] = nil
        if take(0x3D) {
            if rest.first == 0x3A {
                guard let value = byteSequence() else { return false }
                byteSequences[key] = value
            } else {
                guard rest.first == 0x28 ? innerList() : bareItem() else { return false }
            }
        }
        return parameters()
    }

    private mutating func key() -> String? {
        guard let first = rest.first, (0x61...0x7A).contains(first) || first == 0x2A else { return nil }
        let key = rest.prefix {
            (0x61...0x7A).contains($0) || $0.isDigit || [0x5F, 0x2D, 0x2E, 0x2A].contains($0)
        }
        rest = rest[key.endIndex...]
        return key.text
    }

    private mutating func parameters() -> Bool {
        while take(0x3B) {
            rest = rest.drop { $0 == 0x20 }
            guard key() != nil else { return false }
            if take(0x3D), !bareItem() { return false }
        }
        return true
    }

    private mutating func innerList() -> Bool {
        guard take(0x28) else { return false }
        while true {
            rest = rest.drop { $0 == 0x20 }
            if take(0x29) { return true }
            guard bareItem(), parameters(), rest.first == 0x20 || rest.first == 0x29 else { return false }
        }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard rest.first == byte else { return false }
        rest.removeFirst()
        return true
    }
}

/// The types that a value can have (RFC 9651 §3.3).
extension StructuredDictionary {
    private mutating func byteSequence() -> [UInt8]? {
        guard take(0x3A), let end = rest.firstIndex(of: 0x3A) else { return nil }
        defer { rest = rest[(end + 1)...] }
        return Base64.decoded(rest[..<end])
    }

    private mutating func bareItem() -> Bool {
        switch rest.first {
        case 0x3A: return byteSequence() != nil
        case 0x22: return string()
        case 0x3F:
            rest.removeFirst()
            return take(0x30) || take(0x31)
        case 0x40:
            rest.removeFirst()
            return number(isInteger: true)
        case 0x25:
            rest.removeFirst()
            return displayString()
        case .some(let byte) where byte.isDigit || byte == 0x2D: return number(isInteger: false)
        case .some(let byte) where byte.isLetter || byte == 0x2A:
            rest = rest.drop { $0.isTokenByte || $0 == 0x3A || $0 == 0x2F }
            return true
        default: return false
        }
    }

    private mutating func string() -> Bool {
        guard take(0x22) else { return false }
        while let byte = rest.popFirst() {
            switch byte {
            case 0x22: return true
            case 0x5C: guard take(0x22) || take(0x5C) else { return false }
            case 0x20...0x7E: continue
            default: return false
            }
        }
        return false
    }

    private mutating func displayString() -> Bool {
        guard take(0x22) else { return false }
        while let byte = rest.popFirst() {
            switch byte {
            case 0x22: return true
            case 0x25:
                let escape = rest.prefix(2)
                let isLower = escape.allSatisfy { $0.isDigit || (0x61...0x66).contains($0) }
                guard escape.count == 2, isLower else { return false }
                rest = rest.dropFirst(2)
            case 0x20...0x7E: continue
            default: return false
            }
        }
        return false
    }

    private mutating func number(isInteger: Bool) -> Bool {
        _ = take(0x2D)
        let whole = rest.prefix(while: \.isDigit)
        rest = rest[whole.endIndex...]
        guard (1...15).contains(whole.count) else { return false }
        guard !isInteger, take(0x2E) else { return true }
        let fraction = rest.prefix(while: \.isDigit)
        rest = rest[fraction.endIndex...]
        return whole.count <= 12 && (1...3).contains(fraction.count)
    }
}

internal import FerryCore

/// A header field as a signature covers it.
struct SignedField {
    /// The name in lowercase.
    let name: String
    /// The value in its canonical form.
    let value: String

    /// Fields that programs between the signer and the store add or change. No signature covers them.
    private static let unsigned: Set<String> = [
        "authorization", "connection", "expect", "transfer-encoding", "user-agent", "x-amzn-trace-id",
    ]

    /// The fields to be signed, by name; the values of equal names are joined.
    ///
    /// - Parameter canonical: makes the canonical form of a value.
    static func all(of headers: [HeaderField], _ canonical: (String) -> String) -> [SignedField] {
        var values: [String: [String]] = [:]
        for header in headers {
            let name = header.name.lowercased()
            if !unsigned.contains(name) { values[name, default: []].append(canonical(header.value)) }
        }
        return values.sorted { $0.key < $1.key }.map {
            SignedField(name: $0.key, value: $0.value.joined(separator: ","))
        }
    }

    /// The value without blanks at its ends.
    static func trimmed(_ value: String) -> String {
        let scalars = value.unicodeScalars
        guard let first = scalars.firstIndex(where: { !isBlank($0) }),
            let last = scalars.lastIndex(where: { !isBlank($0) })
        else { return "" }
        return String(scalars[first...last])
    }

    /// The value without blanks at its ends, and with one space for each run of blanks.
    static func collapsed(_ value: String) -> String {
        value.unicodeScalars.split(whereSeparator: isBlank).map { String($0) }.joined(separator: " ")
    }

    private static func isBlank(_ scalar: Unicode.Scalar) -> Bool { scalar == " " || scalar == "\t" }
}

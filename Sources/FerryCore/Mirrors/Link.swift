/// One link of a `Link` field (RFC 8288 §3).
package struct Link: Hashable, Sendable {
    /// The most links that are read of one response (I9).
    package static let most = 1000

    /// The target: a reference that may be relative.
    package let target: String
    /// The relation types in lowercase, such as `duplicate`.
    package let relations: [String]
    /// The other parameters in order, names in lowercase; one without a value has an empty value.
    package let parameters: [Parameter]

    /// A parameter of a link.
    package struct Parameter: Hashable, Sendable {
        /// The name in lowercase.
        package let name: String
        /// The value, without quotes.
        package let value: String
    }

    /// Reads the values of all `Link` fields of a response.
    ///
    /// Anything that is not a link is skipped up to the next comma, and so are links beyond ``most``. If a link has
    /// several `rel` parameters, the first counts (RFC 8288 §3.3).
    package static func links(in fieldValues: [String]) -> [Link] {
        var links: [Link] = []
        for value in fieldValues {
            var scanner = Scanner(Array(value.utf8)[...])
            while links.count < most, let link = scanner.nextLink() { links.append(link) }
        }
        return links
    }

    /// The value of the first parameter with a name.
    package func parameter(_ name: String) -> String? {
        parameters.first { $0.name == name }?.value
    }

    init(target: String, parameters: [Parameter]) {
        self.target = target
        let relation = parameters.first { $0.name == "rel" }?.value ?? ""
        relations = relation.utf8.split(whereSeparator: \.isBlank).map(\.lowercasedASCIIText)
        self.parameters = parameters.filter { $0.name != "rel" }
    }
}

extension Link {
    /// Scans a field value; each octet is visited once.
    private struct Scanner {
        private var rest: ArraySlice<UInt8>
        /// The index of the last octet that can end a target.
        private let lastEnd: Int

        init(_ bytes: ArraySlice<UInt8>) {
            rest = bytes
            lastEnd = bytes.lastIndex(of: 0x3E) ?? bytes.startIndex
        }

        /// Takes the next link; `nil` at the end.
        mutating func nextLink() -> Link? {
            while !rest.isEmpty {
                rest = rest.drop { $0.isBlank || $0 == 0x2C }
                // Without the first condition, each of many unterminated links would be searched to the end of the
                // field.
                guard rest.first == 0x3C, rest.startIndex < lastEnd, let end = rest.firstIndex(of: 0x3E)
                else {
                    skipToComma()
                    continue
                }
                let target = rest[(rest.startIndex + 1)..<end].text
                rest = rest[(end + 1)...]
                let parameters = self.parameters()
                skipToComma()
                return Link(target: target, parameters: parameters)
            }
            return nil
        }

        private mutating func parameters() -> [Parameter] {
            var parameters: [Parameter] = []
            while true {
                rest = rest.drop(while: \.isBlank)
                guard rest.first == 0x3B else { return parameters }
                rest = rest.dropFirst().drop(while: \.isBlank)
                let name = rest.prefix(while: \.isTokenByte)
                rest = rest[name.endIndex...].drop(while: \.isBlank)
                var value: [UInt8] = []
                if rest.first == 0x3D {
                    rest = rest.dropFirst().drop(while: \.isBlank)
                    value = self.value()
                }
                guard !name.isEmpty else { continue }
                parameters.append(Parameter(name: name.lowercasedASCIIText, value: value.text))
            }
        }

        private mutating func value() -> [UInt8] {
            guard rest.first == 0x22 else {
                let value = rest.prefix { $0 != 0x3B && $0 != 0x2C && !$0.isBlank }
                rest = rest[value.endIndex...]
                return Array(value)
            }
            return quotedString()
        }

        /// Takes a quoted string; a quoted pair stands for its second octet (RFC 9110 §5.6.4).
        private mutating func quotedString() -> [UInt8] {
            var value: [UInt8] = []
            rest = rest.dropFirst()
            while let byte = rest.popFirst(), byte != 0x22 {
                if byte == 0x5C, let escaped = rest.popFirst() {
                    value.append(escaped)
                } else {
                    value.append(byte)
                }
            }
            return value
        }

        /// Takes everything before the next comma that is not in quotes, and the comma.
        private mutating func skipToComma() {
            while let byte = rest.first {
                if byte == 0x22 {
                    _ = quotedString()
                } else {
                    rest = rest.dropFirst()
                    if byte == 0x2C { return }
                }
            }
        }
    }
}

extension XMLReader {
    typealias WrittenAttribute = (name: ArraySlice<UInt8>, value: ArraySlice<UInt8>)

    /// Reads the tag that begins an element.
    mutating func readStart() throws(Refusal) -> Element {
        guard open.count < Self.deepest else { throw .tooLarge }
        rest = rest.dropFirst()
        let name = try Self.readName(&rest)
        var attributes: [WrittenAttribute] = []
        while true {
            let trimmed = rest.drop(while: \.isXMLSpace)
            let hasSpace = trimmed.startIndex > rest.startIndex
            rest = trimmed
            if rest.first == 0x3E {
                rest = rest.dropFirst()
                break
            }
            if rest.first == 0x2F, rest.dropFirst().first == 0x3E {
                rest = rest.dropFirst(2)
                endsAtOnce = true
                break
            }
            guard hasSpace else { throw .malformed }
            guard attributes.count < Self.mostAttributes else { throw .tooLarge }
            attributes.append(try Self.readAttribute(&rest))
        }
        return try element(name, attributes)
    }

    /// Reads the tag that ends an element.
    mutating func readEnd() throws(Refusal) {
        rest = rest.dropFirst(2)
        let name = try Self.readName(&rest)
        rest = rest.drop(while: \.isXMLSpace)
        guard rest.popFirst() == 0x3E, let frame = open.popLast(), frame.name.elementsEqual(name) else {
            throw .malformed
        }
    }

    /// Reads an attribute with its value as written.
    static func readAttribute(_ rest: inout ArraySlice<UInt8>) throws(Refusal) -> WrittenAttribute {
        let name = try readName(&rest)
        rest = rest.drop(while: \.isXMLSpace)
        guard rest.popFirst() == 0x3D else { throw .malformed }
        rest = rest.drop(while: \.isXMLSpace)
        guard let quote = rest.popFirst(), quote == 0x22 || quote == 0x27,
            let end = rest.firstIndex(of: quote)
        else { throw .malformed }
        let value = try checked(rest[..<end])
        guard !value.contains(0x3C) else { throw .malformed }
        rest = rest[(end + 1)...]
        return (name, value)
    }

    private static func readName(_ rest: inout ArraySlice<UInt8>) throws(Refusal) -> ArraySlice<UInt8> {
        let name = try checked(rest.prefix(while: XMLName.isPart))
        guard XMLName.isName(name) else { throw .malformed }
        rest = rest[name.endIndex...]
        return name
    }

    /// Resolves references and namespaces, and opens the element.
    private mutating func element(
        _ name: ArraySlice<UInt8>,
        _ written: [WrittenAttribute]
    ) throws(Refusal) -> Element {
        guard Set(written.map(\.name.text)).count == written.count else { throw .malformed }
        var namespaces = open.last?.namespaces ?? ["xml": "http://www.w3.org/XML/1998/namespace"]
        var attributes: [String: String] = [:]
        for (name, value) in written {
            guard let (prefix, local) = XMLName.split(name) else { throw .malformed }
            let text = try Self.attributeText(value)
            if prefix == "xmlns" {
                guard !text.isEmpty, local != "xml", local != "xmlns" else { throw .malformed }
                namespaces[local] = text
                guard namespaces.count <= Self.mostNamespaces else { throw .tooLarge }
            } else if prefix.isEmpty {
                if local == "xmlns" { namespaces[""] = text } else { attributes[local] = text }
            }
        }
        guard let (prefix, local) = XMLName.split(name) else { throw .malformed }
        guard let namespace = namespaces[prefix] ?? (prefix.isEmpty ? "" : nil) else { throw .malformed }
        open.append(Frame(name: name, namespaces: namespaces))
        return Element(namespace: namespace, name: local, attributes: attributes)
    }
}

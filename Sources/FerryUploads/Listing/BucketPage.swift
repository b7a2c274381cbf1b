import FerryCore

/// A page of a listing, as a document.
package struct BucketPage {
    /// An element of the document.
    package struct Element {
        let xml: XMLElement
    }

    /// The document.
    package let root: Element
    private var form: Form

    /// How names are written in it.
    private enum Form: Hashable {
        case plain
        /// Percent-encoded; S3 writes a blank as `+`, as in a form.
        case encoded(plusIsBlank: Bool)
    }

    /// Reads a page; `nil` if the document is none.
    init?(_ root: XMLElement, named name: String, from store: ObjectStore) {
        guard root.name == name else { return nil }
        switch root.text(of: "EncodingType") {
        case nil, "": form = .plain
        case "url": form = .encoded(plusIsBlank: store == .s3)
        default: return nil
        }
        self.root = Element(xml: root)
    }

    /// Reads a document; `nil` if it is not well-formed, such as one with a character that XML forbids.
    static func document(_ body: [UInt8]) -> XMLElement? {
        do {
            return try XMLElement(reading: body)
        } catch {
            return nil
        }
    }

    /// A name in an element, decoded; `nil` if there is none, or if it is not UTF-8.
    func name(_ name: String, in element: Element) -> String? { element.xml.text(of: name).flatMap(read) }

    private func read(_ text: String) -> String? {
        guard case .encoded(let plusIsBlank) = form else { return text }
        let bytes = text.utf8.map { plusIsBlank && $0 == 0x2B ? 0x20 : $0 }
        return String(validating: PercentEncoding.decoded(bytes), as: UTF8.self)
    }

    // MARK: Names that may not be encoded

    /// What a page that says that its names are encoded tells of that.
    enum Evidence: Hashable {
        /// A name has a character that is never left when names are encoded.
        case plain
        /// A name means one thing if it is encoded, and another if it is not.
        case doubt
        /// All names mean the same, encoded or not.
        case none
    }

    /// Whether it says that its names are encoded.
    var isSaidToBeEncoded: Bool { form != .plain }

    /// The page, with its names as they are written.
    var plain: BucketPage {
        var page = self
        page.form = .plain
        return page
    }

    /// What the names in it tell: the keys of its entries, and where the next page begins.
    func evidence(in element: String) -> Evidence {
        guard isSaidToBeEncoded else { return .none }
        let keys = root.xml.all(element).compactMap { $0.text(of: "Key") }
        let names = keys + [root.xml.text(of: "NextKeyMarker")].compactMap(\.self)
        if names.contains(where: Self.isPlain) { return .plain }
        return names.contains { read($0) != $0 } ? .doubt : .none
    }

    /// Whether a text has what no encoder leaves: another character, or a `%` without two hexadecimal digits.
    private static func isPlain(_ text: String) -> Bool {
        !text.utf8.allSatisfy(leftByEncoders.contains) || PercentEncoding.strictlyDecoded(text.utf8) == nil
    }

    /// The characters that may stand in an encoded name. Encoders differ in which reserved ones they leave.
    private static let leftByEncoders = Set(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~%+/*!'()$&,:;=@".utf8
    )

    /// Whether a key is written differently in another page; `nil` if the pages have no entry in common.
    ///
    /// - Parameter anchor: the element that names an entry in both.
    func differs(from other: BucketPage, in element: String, by anchor: String) -> Bool? {
        let theirs = other.keys(in: element, by: anchor)
        let pairs = keys(in: element, by: anchor).compactMap { id, key in theirs[id].map { (key, $0) } }
        return pairs.isEmpty ? nil : pairs.contains { $0 != $1 }
    }

    private func keys(in element: String, by anchor: String) -> [String: String] {
        root.xml.all(element).reduce(into: [:]) { keys, entry in
            if let id = entry.text(of: anchor), let key = entry.text(of: "Key") { keys[id] = key }
        }
    }
}

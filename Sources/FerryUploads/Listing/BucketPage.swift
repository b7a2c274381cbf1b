import FerryCore

/// A page of a listing, as its document has it.
package struct BucketPage {
    /// What an element says in the elements that are directly in it.
    package struct Element {
        private var texts: [(name: String, text: String)] = []

        /// Adds the text of one of them.
        mutating func add(_ name: String, _ text: String) { texts.append((name, text)) }

        /// The text of the element with a name; `nil` if there is none, or more than one.
        func text(of name: String) -> String? {
            var found: String?
            for entry in texts where entry.name == name {
                guard found == nil else { return nil }
                found = entry.text
            }
            return found
        }

        /// The number of the element with a name; `nil` if there is none that can be read.
        func number(of name: String) -> Int64? {
            text(of: name).flatMap { DecimalNumber(Array($0.utf8).trimmingBlanks)?.fitting }
        }
    }

    /// What the page says of itself.
    let root: Element
    /// Its entries, in order.
    let entries: [Element]
    private var form: Form

    /// How names are written in it.
    private enum Form: Hashable {
        case plain
        /// Percent-encoded; S3 writes a blank as `+`, as in a form.
        case encoded(plusIsBlank: Bool)
    }

    /// Reads a page; `nil` if the document is none.
    init?(_ document: BucketDocument, named name: String, from store: ObjectStore) {
        guard document.name == name else { return nil }
        (root, entries) = (document.root, document.entries)
        switch root.text(of: "EncodingType") {
        case nil, "": form = .plain
        case "url": form = .encoded(plusIsBlank: store == .s3)
        default: return nil
        }
    }

    /// A name in an element, decoded; `nil` if there is none, or if it is not UTF-8.
    func name(_ name: String, in element: Element) -> String? { element.text(of: name).flatMap(read) }

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
    var evidence: Evidence {
        guard isSaidToBeEncoded else { return .none }
        let keys = entries.compactMap { $0.text(of: "Key") }
        let names = keys + [root.text(of: "NextKeyMarker")].compactMap(\.self)
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
    func differs(from other: BucketPage, by anchor: String) -> Bool? {
        let theirs = other.keys(by: anchor)
        let pairs = keys(by: anchor).compactMap { id, key in theirs[id].map { (key, $0) } }
        return pairs.isEmpty ? nil : pairs.contains { $0 != $1 }
    }

    private func keys(by anchor: String) -> [String: String] {
        entries.reduce(into: [:]) { keys, entry in
            if let id = entry.text(of: anchor), let key = entry.text(of: "Key") { keys[id] = key }
        }
    }
}

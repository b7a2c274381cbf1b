import FerryCore

/// An element of a short XML document, with all that is in it.
struct XMLElement {
    /// The name without its prefix; namespaces differ from store to store.
    let name: String
    /// The text that is directly in it.
    private(set) var text = ""
    /// The elements that are directly in it.
    private(set) var children: [XMLElement] = []

    private init(_ name: String) {
        self.name = name
    }

    /// The largest number of elements in a document: a page of parts has ten of them for each of 1,000 parts.
    static let most = 100_000

    /// Reads the outermost element of a document.
    init(reading document: [UInt8]) throws(XMLReader.Refusal) {
        var reader = try XMLReader(document)
        var open: [XMLElement] = []
        var root: XMLElement?
        var count = 0
        while let token = try reader.next() {
            switch token {
            case .start(let element):
                count += 1
                guard count <= Self.most else { throw .tooLarge }
                open.append(XMLElement(element.name))
            case .text(let text): if !open.isEmpty { open[open.count - 1].text += text }
            case .end:
                guard let ended = open.popLast() else { throw .malformed }
                if open.isEmpty { root = ended } else { open[open.count - 1].children.append(ended) }
            }
        }
        guard let root else { throw .malformed }
        self = root
    }

    /// The elements with a name.
    func all(_ name: String) -> [XMLElement] { children.filter { $0.name == name } }

    /// The text of the element with a name; `nil` if there is none, or more than one.
    func text(of name: String) -> String? {
        let found = all(name)
        return found.count == 1 ? found[0].text : nil
    }

    /// The number of the element with a name; `nil` if there is none that can be read.
    func number(of name: String) -> Int64? {
        text(of: name).flatMap { DecimalNumber(Array($0.utf8).trimmingBlanks)?.fitting }
    }

    // MARK: Writing

    /// A text as it stands in an element.
    static func escaped(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            // A reader would change line endings.
            case "\t", "\n", "\r": result += "&#\(scalar.value);"
            default: result.unicodeScalars.append(scalar)
            }
        }
    }
}

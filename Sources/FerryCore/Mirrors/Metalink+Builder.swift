extension Metalink {
    /// Builds a document from its XML tokens.
    struct Builder {
        /// The complete files.
        private(set) var files: [File] = []
        private var places: [Place] = []
        private var draft: Draft?
        private var text = ""

        /// A place in the document.
        private enum Place: Hashable {
            /// `metalink`.
            case document
            /// `file`.
            case file
            /// `size` of a file.
            case size
            /// `hash` of a file.
            case hash(type: String)
            /// `url` of a file.
            case url(priority: String?, location: String?)
            /// `pieces` of a file.
            case pieces
            /// `hash` of a part.
            case pieceHash
            /// Anything else, with all its content.
            case other

            /// Whether the text of this element is used.
            var hasText: Bool {
                switch self {
                case .size, .hash, .url, .pieceHash: true
                case .document, .file, .pieces, .other: false
                }
            }
        }

        /// Handles the start of an element.
        mutating func begin(_ element: XMLReader.Element) throws(ParseError) {
            // A number or URL that contains an element could be read in part.
            guard places.last?.hasText != true else { throw .malformed }
            text = ""
            places.append(try place(of: element))
        }

        /// Takes text of the present element, or a part of it.
        mutating func take(_ text: String) {
            if places.last?.hasText == true { self.text += text }
        }

        /// Handles the end of the present element.
        mutating func end() throws(ParseError) {
            let content = Array(text.utf8).drop(while: \.isXMLSpace)
            let end = content.lastIndex { !$0.isXMLSpace }.map { $0 + 1 } ?? content.startIndex
            let value = content[content.startIndex..<end]
            text = ""
            switch places.popLast() {
            case .file:
                if let file = try draft?.finished() { files.append(file) }
                draft = nil
            case .size: try draft?.take(size: value)
            case .hash(let type): try draft?.take(hash: value, type: type)
            case .url(let priority, let location):
                draft?.take(url: value.text, priority: priority, location: location)
            case .pieces: draft?.endPieces()
            case .pieceHash: try draft?.take(pieceHash: value)
            case .document, .other, nil: break
            }
        }

        private mutating func place(of element: XMLReader.Element) throws(ParseError) -> Place {
            let isOurs = element.namespace == Metalink.namespace
            switch (places.last, isOurs ? element.name : "") {
            case (nil, "metalink"):
                return .document
            case (nil, _):
                throw .notMetalink
            case (.document, "file"):
                draft = try Draft(name: element.attributes["name"])
                return .file
            case (.file, "size"):
                return .size
            case (.file, "hash"):
                return .hash(type: element.attributes["type"] ?? "")
            case (.file, "url"):
                return .url(
                    priority: element.attributes["priority"],
                    location: element.attributes["location"]
                )
            case (.file, "pieces"):
                try draft?.beginPieces(element.attributes)
                return .pieces
            case (.pieces, "hash"):
                return .pieceHash
            default:
                return .other
            }
        }
    }
}

import FerryCore

/// The document of a page of a listing. It is read without a tree: what is nested deeper than in an entry is passed over.
struct BucketDocument {
    /// The name without its prefix; namespaces differ from store to store.
    private(set) var name = ""
    /// What it says of itself.
    private(set) var root = BucketPage.Element()
    /// Its entries, in order.
    private(set) var entries: [BucketPage.Element] = []

    /// Reads a document.
    ///
    /// - Parameter entry: the name of the elements that are entries.
    init(reading body: [UInt8], entriesNamed entry: String) throws(XMLReader.Refusal) {
        var reader = try XMLReader(body)
        var open: [String] = []
        var count = 0
        var isInEntry = false
        // Of the element that is directly in the document or in an entry.
        var text = ""
        while let token = try reader.next() {
            let depth = isInEntry ? 3 : 2
            switch token {
            case .start(let element):
                count += 1
                guard count <= XMLElement.most else { throw .tooLarge }
                open.append(element.name)
                if open.count == 2, element.name == entry {
                    isInEntry = true
                    entries.append(BucketPage.Element())
                } else if open.count == depth {
                    text = ""
                }
            case .text(let part): if open.count == depth { text += part }
            case .end:
                guard let ended = open.popLast() else { throw .malformed }
                switch open.count {
                case 0: name = ended
                case 1 where isInEntry: isInEntry = false
                case 1: root.add(ended, text)
                case 2 where isInEntry: entries[entries.count - 1].add(ended, text)
                default: break
                }
            }
        }
    }
}

/// The entries of a listing, in its order. No two have the same URL.
///
/// They are packed, because a server decides how many there are (I9): each takes its text and about 40 bytes. A
/// ``DirectoryIndex/Entry`` takes several hundred, and is made when it is asked for.
package struct DirectoryEntries: RandomAccessCollection, Sendable {
    /// What is not text in an entry. Its text is its path below the directory, its entity tag and its stamp, one after the
    /// other. A tag or stamp that is missing is empty.
    private struct Record: Sendable {
        /// The length of the file in bytes; negative if it is not known.
        var length: Int64
        /// Where its text starts.
        var start: UInt32
        var pathEnd: UInt32
        var tagEnd: UInt32
        var isDirectory: Bool
    }

    private let directory: HTTPURL
    private var records: [Record] = []
    private var text: [UInt8] = []
    /// The numbers of the entries, counted from one, at or after the places that the hashes of their paths name. Zero marks a
    /// free place. The length is a power of two.
    private var table = [UInt32](repeating: 0, count: 64)

    /// Begins with no entries of the directory at a URL, whose path ends in `/`.
    init(in directory: HTTPURL) { self.directory = directory.withoutUserinfo }

    /// Length of all text, in bytes.
    var textLength: Int { text.count }

    package var startIndex: Int { 0 }
    package var endIndex: Int { records.count }

    package subscript(position: Int) -> DirectoryIndex.Entry {
        let record = records[position]
        let end = position + 1 < records.count ? Int(records[position + 1].start) : text.count
        let path = text[Self.path(of: record)]
        let stamp = text[Int(record.tagEnd)..<end]
        let name = path.last == UInt8(ascii: "/") ? path.dropLast() : path
        return DirectoryIndex.Entry(
            url: HTTPURL(
                scheme: directory.scheme,
                authority: directory.authority,
                path: directory.path + path.text,
                query: nil,
                fragment: nil
            ),
            name: PercentEncoding.decoded(name).text,
            isDirectory: record.isDirectory,
            length: record.length < 0 ? nil : record.length,
            entityTag: EntityTag(text[Int(record.pathEnd)..<Int(record.tagEnd)].text),
            stamp: stamp.isEmpty ? nil : stamp.text
        )
    }

    /// Adds an entry, unless one with the same path was added before.
    ///
    /// - Parameter path: its path below the directory, percent-encoded. Its name without escapes is valid UTF-8.
    mutating func add(
        _ path: some Sequence<UInt8>,
        isDirectory: Bool,
        length: Int64?,
        entityTag: EntityTag?,
        stamp: String?
    ) {
        let start = text.count
        text.append(contentsOf: path)
        let pathEnd = text.count
        let place = self.place(of: start..<pathEnd)
        guard table[place] == 0 else {
            text.removeLast(pathEnd - start)
            return
        }
        if let entityTag { text.append(contentsOf: entityTag.description.utf8) }
        let tagEnd = text.count
        if let stamp { text.append(contentsOf: stamp.utf8) }
        records.append(
            Record(
                length: length ?? -1,
                start: UInt32(start),
                pathEnd: UInt32(pathEnd),
                tagEnd: UInt32(tagEnd),
                isDirectory: isDirectory
            )
        )
        table[place] = UInt32(records.count)
        if records.count > table.count / 4 * 3 { growTable() }
    }

    private static func path(of record: Record) -> Range<Int> { Int(record.start)..<Int(record.pathEnd) }

    /// Where the table has the entry with a path, or a free place for it.
    private func place(of path: Range<Int>) -> Int {
        var hasher = Hasher()
        text[path].withUnsafeBytes { hasher.combine(bytes: $0) }
        var place = hasher.finalize() & (table.count - 1)
        while table[place] != 0, text[Self.path(of: records[Int(table[place]) - 1])] != text[path] {
            place = (place + 1) & (table.count - 1)
        }
        return place
    }

    private mutating func growTable() {
        table = [UInt32](repeating: 0, count: table.count * 2)
        for (index, record) in records.enumerated() {
            table[place(of: Self.path(of: record))] = UInt32(index + 1)
        }
    }
}

extension DirectoryEntries: Hashable {
    package static func == (one: Self, other: Self) -> Bool { one.elementsEqual(other) }

    package func hash(into hasher: inout Hasher) { hasher.combine(count) }
}

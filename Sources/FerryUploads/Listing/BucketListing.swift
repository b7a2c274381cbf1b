package import FerryCore

/// The listing of a bucket, page by page. It keeps no entries, so a bucket may have any number of them.
///
/// It is for S3 and compatible stores, OSS, and the XML API of Google.
package struct BucketListing<Entry: BucketEntry>: Sendable {
    /// A parameter of a request, not encoded; the value is `nil` without a `=`.
    package typealias Parameter = (name: String, value: String?)

    /// What the keys begin with.
    package let prefix: ObjectPrefix
    /// Whether the last page was read.
    package private(set) var isOver = false

    /// How the store writes the keys that it says it has encoded.
    private var spelling = Entry.anchor == nil ? Spelling.asSaid : .unknown
    /// A page whose keys may be encoded or not. The next request is for the same page without encoding, and shows it.
    private var doubtful: BucketPage?

    private enum Spelling {
        case unknown
        case asSaid
        case plain
    }

    /// Where the next page begins.
    private var marker: [String] = []
    private var markerNames: [String] = []
    /// A former marker that must not come again. It is replaced after 1, 2, 4, 8… pages, so every circle is found (Brent
    /// 1980), however long, and one marker is enough.
    private var milestone: [String] = []
    private var pages = 0
    private var emptyPages = 0

    /// Entries of a page, as many as all stores give.
    private static var pageLength: Int { 1000 }
    /// A store may send pages without entries, but not so many of them one after the other.
    private static var mostEmptyPages: Int { 100 }
    /// The longest marker, in bytes.
    private static var longestMarker: Int { 8192 }

    /// Begins a listing, or continues it after a page that was read earlier.
    ///
    /// - Parameter place: where the next page begins, as ``place`` was after that page.
    package init(_ prefix: ObjectPrefix, from place: [Parameter] = []) {
        self.prefix = prefix
        (markerNames, marker) = (place.map(\.name), place.map { $0.value ?? "" })
    }

    /// Where the next page begins; empty at the beginning.
    package var place: [Parameter] { zip(markerNames, marker).map { ($0, $1) } }

    /// The URL of the next page, which is signed when it is sent.
    package var url: HTTPURL {
        get throws(TransferFailure) {
            var parameters = [Entry.question]
            // Keys may have characters that XML forbids. Keys of Google have none.
            if prefix.store != .gs, spelling != .plain, doubtful == nil {
                parameters.append(("encoding-type", "url"))
            }
            parameters.append((Entry.bound, "\(Self.pageLength)"))
            if !prefix.text.isEmpty { parameters.append(("prefix", prefix.text)) }
            for (name, value) in zip(markerNames, marker) { parameters.append((name, value)) }
            let query = parameters.map { name, value in
                value.map { "\(name)=\(PercentEncoding.escaped($0.utf8))" } ?? name
            }
            do {
                return try prefix.bucketURL(query.joined(separator: "&"))
            } catch {
                throw TransferFailure(.badResponse, "\(prefix.store) gave a marker that is too long.")
            }
        }
    }

    /// Reads the answer to ``url``, and moves to the next page. There are no entries if the same page has to be asked for
    /// once more.
    ///
    /// - Throws: ``Problem`` for an answer that is no page, or that would make the listing endless.
    package mutating func read(_ answer: UploadAnswer, at now: Instant) throws(Problem) -> [Entry] {
        guard answer.isSuccess else {
            throw ObjectStoreError(answer)?.problem(in: answer, at: now) ?? answer.problem(at: now)
        }
        guard let page = try settled(Self.document(answer.body), answer) else { return [] }
        doubtful = nil
        var entries: [Entry] = []
        entries.reserveCapacity(page.entries.count)
        for element in page.entries {
            guard let entry = Entry(element, in: page),
                prefix.object(entry.key) != nil, entry.key.utf8.starts(with: prefix.text.utf8)
            else { throw answer.contradiction("sent a listing with an entry that cannot be in it") }
            entries.append(entry)
        }
        switch page.root.text(of: "IsTruncated") {
        case "true": try advance(to: Entry.marker(in: page), isEmpty: entries.isEmpty, answer)
        case "false", nil: isOver = true
        default: throw answer.contradiction("sent a listing that does not say whether it is over")
        }
        return entries
    }

    /// Reads a document; `nil` if it is not well-formed, such as one with a character that XML forbids.
    private static func document(_ body: [UInt8]) -> BucketDocument? {
        do {
            return try BucketDocument(reading: body, entriesNamed: Entry.names.element)
        } catch {
            return nil
        }
    }

    /// The page whose entries are right; `nil` if only the same page without encoding can tell.
    private mutating func settled(
        _ document: BucketDocument?,
        _ answer: UploadAnswer
    ) throws(Problem) -> BucketPage? {
        if let doubtful, document == nil {
            // A character that XML forbids makes the page unreadable. The encoded page was readable.
            spelling = .asSaid
            return doubtful
        }
        guard let document, let page = BucketPage(document, named: Entry.names.document, from: prefix.store)
        else { throw answer.contradiction("sent a listing that cannot be read") }
        switch spelling {
        case .asSaid: return page
        case .plain: return page.plain
        case .unknown: break
        }
        if let doubtful, let anchor = Entry.anchor {
            // A store that encodes without being asked is believed.
            if page.isSaidToBeEncoded { spelling = .asSaid }
            if let isEncoded = doubtful.differs(from: page, by: anchor) {
                if isEncoded { spelling = .asSaid } else if spelling == .unknown { spelling = .plain }
                return isEncoded ? doubtful : page
            }
            return page
        }
        switch page.evidence {
        case .none: return page
        case .plain:
            spelling = .plain
            return page.plain
        case .doubt:
            doubtful = page
            return nil
        }
    }

    private mutating func advance(
        to next: [Parameter]?,
        isEmpty: Bool,
        _ answer: UploadAnswer
    ) throws(Problem) {
        guard let next else { throw answer.contradiction("did not say where its listing continues") }
        let values = next.map { $0.value ?? "" }
        guard values.allSatisfy({ $0.utf8.count <= Self.longestMarker }) else {
            throw answer.contradiction("sent a listing with a marker that is too long")
        }
        emptyPages = isEmpty ? emptyPages + 1 : 0
        guard values != marker, values != milestone || pages == 0, emptyPages < Self.mostEmptyPages else {
            throw answer.contradiction("sent a listing that never ends")
        }
        pages += 1
        if pages & (pages - 1) == 0 { milestone = values }
        (markerNames, marker) = (next.map(\.name), values)
    }
}

extension DirectoryIndex {
    /// The body of a `PROPFIND` that asks for what ``init(multistatus:at:)`` reads (RFC 4918 §9.1).
    package static let question = """
        <?xml version="1.0" encoding="utf-8"?>
        <D:propfind xmlns:D="DAV:"><D:prop><D:resourcetype/><D:getcontentlength/><D:getlastmodified/><D:getetag/></D:prop>\
        </D:propfind>
        """

    /// Reads the answer to a `PROPFIND` with `Depth: 1` (RFC 4918 §9.1, §14.16).
    ///
    /// - Parameters:
    ///   - url: the URL that answered, after redirects.
    ///   - most: maximum number of entries. The rest of a longer listing is not read.
    ///   - isStopped: whether the caller does not need the listing any more; asked from time to time.
    /// - Returns: `nil` if it is XML, but no `multistatus`, or if reading was stopped.
    /// - Throws: ``XMLReader/Refusal`` if it is not XML.
    package init?(
        multistatus document: [UInt8],
        at url: HTTPURL,
        upTo most: Int = DirectoryIndex.most,
        isStopped: () -> Bool = { false }
    ) throws(XMLReader.Refusal) {
        self.init(of: url, upTo: most)
        var reader = try XMLReader(document)
        var response = MultistatusResponse()
        var path: [String] = []
        var tokens = 0
        while !isTooLarge, let token = try reader.next() {
            if tokens.isMultiple(of: Self.portion), isStopped() { return nil }
            tokens += 1
            switch token {
            case .start(let element):
                // An element of another namespace is none of these, whatever its name.
                path.append(element.namespace == "DAV:" ? element.name : "")
                guard path[0] == "multistatus" else { return nil }
                response.begin(path[...])
            case .text(let text): response.read(text, in: path[...])
            case .end:
                if response.end(path[...]) {
                    add(response)
                    response = MultistatusResponse()
                }
                path.removeLast()
            }
        }
    }

    private mutating func add(_ response: MultistatusResponse) {
        guard response.isDescription else {
            hasFailures = true
            return
        }
        let properties = response.properties
        // A server may keep its type to itself. Then its URL tells.
        let isDirectory = properties["resourcetype"].map { _ in properties["collection"] != nil }
        let length = properties["getcontentlength"].flatMap { DecimalNumber(Array($0.utf8).trimmingBlanks) }
        add(
            response.reference,
            isDirectory: isDirectory,
            length: isDirectory == true ? nil : length?.fitting,
            entityTag: properties["getetag"].flatMap { EntityTag($0) },
            stamp: properties["getlastmodified"].map { "\($0) \(properties["getcontentlength"] ?? "-")" }
        )
    }
}

/// A `response` element as it is read (RFC 4918 §14.24). A path is the names of the open elements, from the root.
private struct MultistatusResponse {
    private static let group = ["multistatus", "response", "propstat"]
    /// The properties that are read. The others that a server sends are not kept.
    private static let wanted: Set = ["resourcetype", "getcontentlength", "getlastmodified", "getetag"]

    /// The value of `href`.
    var reference = ""
    /// Those of the read properties that the server has, by name; `collection` if it is a directory.
    var properties: [String: String] = [:]
    /// Those of the open `propstat`, whose status comes after them.
    private var pending: [String: String] = [:]
    private var status = ""
    /// The status of the whole response, of one that describes nothing.
    private var failure = ""

    /// Whether it describes properties.
    var isDescription: Bool { failure.isEmpty }

    mutating func begin(_ path: ArraySlice<String>) {
        guard path.starts(with: Self.group + ["prop"]) else { return }
        if path.count == 5, Self.wanted.contains(path[4]) { pending[path[4]] = "" }
        if path.count == 6, path[4] == "resourcetype", path[5] == "collection" { pending["collection"] = "" }
    }

    mutating func read(_ text: String, in path: ArraySlice<String>) {
        if path == ["multistatus", "response", "href"] { reference += text }
        if path.dropLast() == Self.group[...], path.last == "status" { status += text }
        if path == ["multistatus", "response", "status"] { failure += text }
        if path.count == 5, path.starts(with: Self.group + ["prop"]), Self.wanted.contains(path[4]) {
            pending[path[4], default: ""] += text
        }
    }

    /// Notes the end of an element; returns whether it was the response.
    mutating func end(_ path: ArraySlice<String>) -> Bool {
        if path == Self.group[...] {
            // `HTTP/1.1 200 OK` (RFC 4918 §14.28).
            if status.split(separator: " ").dropFirst().first == "200" { properties.merge(pending) { $1 } }
            (pending, status) = ([:], "")
        }
        return path == Self.group.dropLast()
    }
}

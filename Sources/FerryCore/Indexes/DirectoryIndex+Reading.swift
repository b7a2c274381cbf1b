extension DirectoryIndex {
    /// The media types that ask a server for a listing, the more exact ones first: Caddy answers with JSON if it is asked.
    package static let accepted = "application/json, text/html;q=0.9, */*;q=0.1"

    /// Reads a listing.
    ///
    /// - Parameters:
    ///   - type: the media type of the response.
    ///   - page: the URL that answered, after redirects.
    ///   - most: maximum number of entries. The rest of a longer listing is not read.
    ///   - isStopped: whether the caller does not need the listing any more; asked from time to time.
    /// - Returns: `nil` if the document is no listing that Ferry can read, or if reading was stopped.
    package init?(
        _ document: [UInt8],
        type: MediaType?,
        at page: HTTPURL,
        upTo most: Int = DirectoryIndex.most,
        isStopped: () -> Bool = { false }
    ) {
        let first = document.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
        switch first {
        case UInt8(ascii: "[") where type?.isJSON == true:
            guard let read = Self(json: document, at: page, upTo: most, isStopped) else { return nil }
            self = read
        case UInt8(ascii: "<") where type.map { $0.isHTML } ?? true:
            guard let read = Self(html: document, at: page, upTo: most, isStopped) else { return nil }
            self = read
        default: return nil
        }
    }

    /// Whether an HTML page calls itself a listing in its title or heading, as the pages of servers do. One that does not is
    /// perhaps of a login, and shows nothing about the directory.
    package static func isCalledListing(_ page: [UInt8]) -> Bool {
        let head = page.prefix(longestEdge).map(\.lowercasedASCII)
        return ["<title>", "<h1>"].contains { mark in
            guard let place = head.firstRange(of: Array(mark.utf8)) else { return false }
            let text = head[place.upperBound...].drop { $0 == 0x20 || (0x09...0x0D).contains($0) }
            return ["index of", "directory listing"].contains { text.starts(with: $0.utf8) }
        }
    }

    /// Whether an HTML page has its end. One without a length may have been cut off.
    package static func hasEnd(_ page: [UInt8]) -> Bool {
        page.suffix(longestEdge).map(\.lowercasedASCII).firstRange(of: Array("</html>".utf8)) != nil
    }

    /// How much of a page is searched for its title, and for its end, in bytes.
    private static let longestEdge = 4_096

    /// Reads an HTML page of nginx, Apache, lighttpd, Caddy, Python or a server whose pages are like theirs: each link to
    /// something in the directory is an entry, and the text after it tells when it changed and how large it is.
    ///
    /// Sizes are not read: servers round them.
    private init?(html page: [UInt8], at url: HTTPURL, upTo most: Int, _ isStopped: () -> Bool) {
        self.init(of: url, upTo: most)
        for (index, link) in HTMLLinks(page).enumerated() {
            if isTooLarge { break }
            if index.isMultiple(of: Self.portion), isStopped() { return nil }
            // Without a time, a remark such as a size does not tell versions apart.
            let bytes = Array(link.remark.utf8)
            let hasTime = bytes.indices.dropFirst().dropLast().contains {
                bytes[$0] == UInt8(ascii: ":") && bytes[$0 - 1].isDigit && bytes[$0 + 1].isDigit
            }
            add(link.target, stamp: hasTime ? link.remark : nil)
        }
    }

    /// Length of the longest description of one entry in JSON, in bytes.
    private static let longestElement = 1 << 20

    /// Reads an array of objects as nginx and Caddy write it; `nil` if it is none. Only files have a `size` at nginx.
    ///
    /// nginx: `name`, `type` (`file`, `directory` or `other`), `mtime`, `size`
    /// (https://nginx.org/en/docs/http/ngx_http_autoindex_module.html). Caddy: `name`, `url`, `is_dir`, `mod_time`, `size`
    /// (https://caddyserver.com/docs/caddyfile/directives/file_server).
    private init?(json document: [UInt8], at url: HTTPURL, upTo most: Int, _ isStopped: () -> Bool) {
        guard JSONText.isValid(document), let elements = JSONText.Elements(of: document[...]) else {
            return nil
        }
        self.init(of: url, upTo: most)
        for (index, element) in elements.enumerated() {
            if isTooLarge { break }
            if index.isMultiple(of: Self.portion), isStopped() { return nil }
            guard element.count <= Self.longestElement, let members = JSONMembers(of: element),
                let name = members.text("name"), let (isDirectory, time) = Self.kindAndTime(members)
            else { return nil }
            let length = isDirectory ? nil : members["size"].flatMap { DecimalNumber($0)?.fitting }
            // Caddy ends the names of directories in a slash.
            let plain = name.utf8.last == UInt8(ascii: "/") ? String(name.dropLast()) : name
            add(
                "./" + PercentEncoding.literal(plain) + (isDirectory ? "/" : ""),
                isDirectory: isDirectory,
                length: length,
                stamp: "\(time) \(length.map(String.init) ?? "-")"
            )
        }
    }

    /// What an object of nginx or Caddy says of its entry; `nil` for any other object, such as an error.
    private static func kindAndTime(_ members: JSONMembers) -> (isDirectory: Bool, time: String)? {
        if let kind = members.text("type"), let time = members.text("mtime") {
            return ["file", "directory", "other"].contains(kind)
                ? (isDirectory: kind == "directory", time: time) : nil
        }
        guard let time = members.text("mod_time"), members.text("url") != nil,
            let isDirectory = members["is_dir"]?.text, ["true", "false"].contains(isDirectory)
        else { return nil }
        return (isDirectory: isDirectory == "true", time: time)
    }
}

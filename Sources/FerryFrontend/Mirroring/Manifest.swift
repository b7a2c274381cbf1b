package import Ferry

/// The files that a document names as those of a source: a Metalink of version 4 (RFC 5854), or JSON as docs/MIRROR.md
/// describes it. Nothing in it is trusted.
package struct Manifest: Hashable, Sendable {
    /// One file.
    package struct File: Hashable, Sendable {
        /// Its path below the source, as written.
        package let path: String
        /// Where it is, the best URL first; never empty.
        package let urls: [HTTPURL]
        /// Its version.
        package let version: ListedVersion
    }

    /// The files, in the order of the document.
    package let files: [File]

    private static let extensions = [".json", ".meta4", ".metalink"]

    /// Whether the name in a URL is that of a manifest.
    package static func isNamed(by url: HTTPURL) -> Bool {
        let path = url.path.utf8.map { $0 | 0x20 }
        return extensions.contains { path.reversed().starts(with: $0.utf8.reversed()) }
    }

    /// Reads a document. It is read as a whole or not at all: what it fails to name must not count as gone.
    ///
    /// - Parameter url: the URL that it came from. Other URLs in it may be relative to that.
    /// - Throws: ``TransferFailure`` with the code `badResponse`.
    package init(parsing bytes: [UInt8], at url: HTTPURL) throws(TransferFailure) {
        let isMarkup = bytes.first { !" \t\r\n\u{FEFF}".utf8.contains($0) } == UInt8(ascii: "<")
        do throws(Unreadable) {
            files = isMarkup ? try Self.metalink(bytes) : try Self.json(bytes, at: url)
        } catch {
            throw TransferFailure(
                .badResponse,
                "The manifest \(url.redacted) cannot be read. \(error.reason)"
            )
        }
    }

    fileprivate struct Unreadable: Error {
        let reason: String
    }

    private static func metalink(_ bytes: [UInt8]) throws(Unreadable) -> [File] {
        let metalink: Metalink
        do {
            metalink = try Metalink(parsing: bytes)
        } catch {
            throw Unreadable(reason: "\(error)")
        }
        return try metalink.files.map { file throws(Unreadable) in
            guard !file.mirrors.isEmpty else {
                throw Unreadable(reason: "It names no HTTP URL for \(QuotedWord(file.path)).")
            }
            let version = ListedVersion(size: file.size, checksum: file.checksums.first)
            return File(path: file.path, urls: file.mirrors.map(\.url), version: version)
        }
    }

    private static func json(_ bytes: [UInt8], at url: HTTPURL) throws(Unreadable) -> [File] {
        guard JSONText.isValid(bytes) else { throw Unreadable(reason: "It is neither JSON nor a Metalink.") }
        let list = JSONMembers(of: bytes[...])?["files"] ?? bytes[...]
        guard let elements = JSONText.elements(of: list) else {
            throw Unreadable(reason: #"It has no array of files, such as {"files": [{"name": "a.iso"}]}."#)
        }
        return try elements.enumerated().map { index, element throws(Unreadable) in
            do throws(Unreadable) {
                return try File(json: element, at: url)
            } catch {
                throw Unreadable(reason: "File \(index + 1): \(error.reason)")
            }
        }
    }
}

extension Manifest.File {
    /// Reads the object of one file.
    fileprivate init(json element: ArraySlice<UInt8>, at base: HTTPURL) throws(Manifest.Unreadable) {
        let members = JSONMembers(of: element)
        func text(_ name: String) throws(Manifest.Unreadable) -> String? {
            guard let value = members?[name] else { return nil }
            guard let text = JSONText.string(value), !text.isEmpty else {
                throw Manifest.Unreadable(reason: "Its \(name) is not a text.")
            }
            return text
        }
        guard let path = try text("name") else { throw Manifest.Unreadable(reason: "It has no name.") }
        self.path = path
        var version = ListedVersion(etag: try text("etag"), stamp: try text("modified"))
        if let number = members?["size"] {
            guard let size = Int64(number.text), size >= 0 else {
                throw Manifest.Unreadable(reason: "Its size is not a number of bytes.")
            }
            version.size = size
        }
        if let digest = try text("checksum") {
            do throws(Checksum.ParseError) {
                version.checksum = try Checksum(parsing: digest)
            } catch {
                throw Manifest.Unreadable(reason: error.description)
            }
        }
        self.version = version
        var references: [String] = []
        let elements = members?.elements("url")
        for element in elements ?? [] {
            guard let text = JSONText.string(element) else {
                throw Manifest.Unreadable(reason: "Its url is neither a text nor an array of texts.")
            }
            references.append(text)
        }
        let escaped = PercentEncoding.escaped(path.utf8, keeping: [UInt8(ascii: "/")])
        if elements == nil { references = [try text("url") ?? "./\(escaped)"] }
        urls = try Self.urls(references, at: base)
    }

    private static func urls(
        _ references: [String],
        at base: HTTPURL
    ) throws(Manifest.Unreadable) -> [HTTPURL] {
        guard !references.isEmpty else { throw Manifest.Unreadable(reason: "It has no URL.") }
        return try references.map { reference throws(Manifest.Unreadable) in
            do throws(HTTPURL.ParseError) {
                return try base.resolving(reference).withoutFragment
            } catch {
                throw Manifest.Unreadable(reason: error.description)
            }
        }
    }
}

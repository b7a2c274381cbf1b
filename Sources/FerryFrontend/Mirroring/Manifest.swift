package import Ferry

/// The files that a document names as those of a source: a Metalink of version 4 (RFC 5854), or JSON as docs/MIRROR.md
/// describes it. Nothing in it is trusted.
package struct Manifest: Sendable {
    /// Maximum number of files of a manifest.
    package static let most = 1_000_000
    /// Length of the longest description of one file in JSON, in bytes.
    private static let longestElement = 1 << 20
    /// Number of files that are read between two questions whether to stop.
    private static let portion = 1_000

    /// One file.
    package struct File: Hashable, Sendable {
        /// Its path below the source, as written.
        package let path: String
        /// Where it is, the best URL first; never empty.
        package let urls: [HTTPURL]
        /// Its version.
        package let version: ListedVersion
    }

    /// The files of a manifest, in the order of the document.
    ///
    /// A server decides how many there are (I9). So files in JSON stay as they are written, and each is read again when it is
    /// asked for.
    package struct Files: RandomAccessCollection, Sendable {
        fileprivate enum Content: Sendable {
            case read([File])
            /// Objects that can be read, and the URL that they came from.
            case written([ArraySlice<UInt8>], base: HTTPURL)
        }

        fileprivate let content: Content

        package var startIndex: Int { 0 }

        package var endIndex: Int {
            switch content {
            case .read(let files): files.count
            case .written(let elements, _): elements.count
            }
        }

        package subscript(position: Int) -> File {
            switch content {
            case .read(let files): return files[position]
            case .written(let elements, let base):
                do throws(Unreadable) {
                    return try File(json: elements[position], at: base)
                } catch {
                    preconditionFailure("a file of a manifest was read before: \(error.reason)")
                }
            }
        }
    }

    /// The files.
    package let files: Files

    private static let extensions = [".json", ".meta4", ".metalink"]

    /// Whether the name in a URL is that of a manifest.
    package static func isNamed(by url: HTTPURL) -> Bool {
        let path = url.path.utf8.map { $0 | 0x20 }
        return extensions.contains { path.reversed().starts(with: $0.utf8.reversed()) }
    }

    /// Reads a document. It is read as a whole or not at all: what it fails to name must not count as gone.
    ///
    /// - Parameters:
    ///   - url: the URL that it came from. Other URLs in it may be relative to that.
    ///   - most: maximum number of files.
    ///   - isStopped: whether the caller does not need the manifest any more; asked from time to time.
    /// - Throws: ``TransferFailure`` with the code `badResponse`.
    package init(
        parsing bytes: [UInt8],
        at url: HTTPURL,
        upTo most: Int = Manifest.most,
        isStopped: () -> Bool = { false }
    ) throws(TransferFailure) {
        let isMarkup = bytes.first { !" \t\r\n\u{FEFF}".utf8.contains($0) } == UInt8(ascii: "<")
        do throws(Unreadable) {
            files = isMarkup ? try Self.metalink(bytes) : try Self.json(bytes, at: url, upTo: most, isStopped)
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

    private static func metalink(_ bytes: [UInt8]) throws(Unreadable) -> Files {
        let metalink: Metalink
        do {
            metalink = try Metalink(parsing: bytes)
        } catch {
            throw Unreadable(reason: "\(error)")
        }
        let files = try metalink.files.map { file throws(Unreadable) in
            guard !file.mirrors.isEmpty else {
                throw Unreadable(reason: "It names no HTTP URL for \(QuotedWord(file.path)).")
            }
            let version = ListedVersion(size: file.size, checksum: file.checksums.first)
            return File(path: file.path, urls: file.mirrors.map(\.url), version: version)
        }
        return Files(content: .read(files))
    }

    private static func json(
        _ bytes: [UInt8],
        at url: HTTPURL,
        upTo most: Int,
        _ isStopped: () -> Bool
    ) throws(Unreadable) -> Files {
        guard JSONText.isValid(bytes) else { throw Unreadable(reason: "It is neither JSON nor a Metalink.") }
        let list = JSONText.member("files", of: bytes[...]) ?? bytes[...]
        guard let elements = JSONText.Elements(of: list) else {
            throw Unreadable(reason: #"It has no array of files, such as {"files": [{"name": "a.iso"}]}."#)
        }
        var files: [ArraySlice<UInt8>] = []
        for element in elements {
            guard files.count < most else { throw Unreadable(reason: "It has more than \(most) files.") }
            if files.count.isMultiple(of: portion), isStopped() {
                throw Unreadable(reason: "Reading was stopped.")
            }
            do throws(Unreadable) {
                guard element.count <= longestElement else {
                    throw Unreadable(reason: "It is longer than \(longestElement >> 20) MiB.")
                }
                _ = try File(json: element, at: url)
            } catch {
                throw Unreadable(reason: "File \(files.count + 1): \(error.reason)")
            }
            files.append(element)
        }
        return Files(content: .written(files, base: url))
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

/// What a server lists as the contents of a directory.
///
/// Only what lies directly in the directory is an entry: a link to another origin, to a parent, further down, to the page
/// itself or with a query is none. So no listing can lead out of the directory (I6).
package struct DirectoryIndex: Hashable, Sendable {
    /// Maximum number of entries of one listing.
    package static let most = 1_000_000
    /// Maximum length of the text of all entries, in bytes.
    private static let mostText = 64 << 20
    /// Number of entries that are read between two questions whether to stop.
    static let portion = 1_000

    /// A file or directory in the listing.
    package struct Entry: Hashable, Sendable {
        /// Where it is; the URL of a directory ends in `/`.
        package var url: HTTPURL
        /// Its name, which the server chose: it may be anything but `.`, `..`, or with a `/` or a NUL.
        package var name: String
        /// Whether it is a directory.
        package var isDirectory: Bool
        /// Its length in bytes; `nil` if the listing does not tell it exactly.
        package var length: Int64?
        /// Its entity tag; `nil` if the listing has none.
        package var entityTag: EntityTag?
        /// What the listing says of its time and size, as written. It can only be compared: as long as it is the same, the
        /// file is. `nil` if the listing says nothing.
        package var stamp: String?
    }

    /// The entries, in the order of the listing. No two have the same URL.
    package private(set) var entries: DirectoryEntries

    /// Whether the listing has too many entries to be read, or too long ones. Those that were read are not all.
    package private(set) var isTooLarge = false

    /// The last parts of links that would be in the directory and name no file there: with an encoded `/` or NUL, or not in
    /// UTF-8. Only the first of many are kept.
    package private(set) var refused: [String] = []

    /// Whether the server could not describe some of the directory.
    package internal(set) var hasFailures = false

    /// Whether the listing has the directory itself, as that of a WebDAV server has (RFC 4918 §9.1).
    package private(set) var hasItself = false

    /// The maximum number of refused links that are kept.
    private static let mostRefused = 100

    /// The URL of the directory, which ends in `/`.
    let directory: HTTPURL

    private let most: Int

    /// Begins a listing of the directory at a URL, after redirects. A page that does not end in `/` lists its parent.
    init(of page: HTTPURL, upTo most: Int) {
        self.most = most
        let path = page.path
        let end = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path.utf8.index(after: $0) }
        let folder = end.map { String(path[..<$0]) } ?? "/"
        do throws(HTTPURL.ParseError) {
            directory = try page.with(path: folder, query: nil).with(fragment: nil)
        } catch {
            // A part of a URL is not longer than the whole.
            directory = page
        }
        entries = DirectoryEntries(in: directory)
    }

    /// Adds an entry, unless its link leads elsewhere or was added before.
    mutating func add(
        _ reference: String,
        isDirectory: Bool? = nil,
        length: Int64? = nil,
        entityTag: EntityTag? = nil,
        stamp: String? = nil
    ) {
        guard var target = target(of: reference) else { return }
        let tail = target.path.utf8.dropFirst(directory.path.utf8.count)
        if tail.isEmpty { hasItself = true }
        let endsInSlash = tail.last == UInt8(ascii: "/")
        let bytes = PercentEncoding.decoded(endsInSlash ? tail.dropLast() : tail)
        guard Self.isName(bytes) else { return refuse(tail) }
        if isDirectory == true, !endsInSlash {
            guard let url = self.target(of: target.path + "/") else { return }
            target = url
        }
        entries.add(
            target.path.utf8.dropFirst(directory.path.utf8.count),
            isDirectory: isDirectory ?? endsInSlash,
            length: length,
            entityTag: entityTag,
            stamp: stamp
        )
        isTooLarge = entries.count > most || entries.textLength > Self.mostText
    }

    /// Notes a link that names nothing in the directory, unless it is to the directory itself or further down.
    private mutating func refuse(_ tail: Substring.UTF8View) {
        guard !tail.isEmpty, !tail.dropLast().contains(UInt8(ascii: "/")), refused.count < Self.mostRefused
        else { return }
        refused.append(String(Substring(tail)))
    }

    /// Where a link leads; `nil` if that is not below the directory.
    private func target(of reference: String) -> HTTPURL? {
        do throws(HTTPURL.ParseError) {
            // A user and password in a link are the server's idea.
            let target = try directory.resolving(reference).withoutUserinfo
            guard target.origin == directory.origin, target.query == nil, target.fragment == nil,
                target.path.utf8.starts(with: directory.path.utf8)
            else { return nil }
            return target
        } catch {
            // No URL of HTTP, such as `mailto:`.
            return nil
        }
    }

    /// Whether octets are the name of something directly in a directory.
    private static func isName(_ bytes: [UInt8]) -> Bool {
        guard !bytes.isEmpty, !bytes.contains(0), !bytes.contains(UInt8(ascii: "/")),
            let name = String(validating: bytes, as: UTF8.self)
        else { return false }
        return name != "." && name != ".."
    }
}

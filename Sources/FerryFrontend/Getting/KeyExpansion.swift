package import Ferry

/// The objects that the patterns of a command line name, in place of the patterns.
package struct KeyExpansion: Sendable {
    /// A URL of the command line that has wildcards in its key.
    package struct Pattern: Sendable {
        /// Where the objects are listed.
        package let prefix: ObjectPrefix
        fileprivate let keys: KeyPattern
        fileprivate let text: String
        /// The length of the part of a key that is the same in all, up to its last slash, in bytes.
        fileprivate let folderLength: Int

        init?(_ text: String) {
            let name: ObjectName
            do {
                name = try ObjectName(parsing: text)
            } catch {
                // It is refused, or accepted, when it is read as a URL.
                return nil
            }
            guard let keys = KeyPattern(name.key) else { return nil }
            prefix = ObjectPrefix(name.store, bucket: name.bucket, keys.literalPrefix)
            (self.keys, self.text) = (keys, text)
            folderLength = ObjectPrefix.folderLength(of: keys.literalPrefix)
        }
    }

    /// How the buckets are listed.
    package let exchange: ExchangeTerms
    /// Maximum number of retries of a request for a page.
    package let retries: Int
    /// The directories of objects, below that of the downloads, by the octets of the objects' names.
    package private(set) var folders: [[UInt8]: String] = [:]
    /// Whether objects with the same name may be saved beside one another.
    private let mayShareNames: Bool
    /// Whether the user has named the file.
    private let hasOutput: Bool
    private var found: [String] = []
    private var urls: Set<[UInt8]> = []
    /// The objects by the octets of the paths of their files, and one for each directory.
    private var (files, parents): ([[UInt8]: String], [[UInt8]: String]) = ([:], [:])

    /// The largest number of objects, as of the downloads of a list.
    private static let most = 1_000_000

    /// Reads how buckets are listed; `nil` if no URL is a pattern.
    package init?(_ input: DownloadInput, _ environment: ProcessEnvironment) throws(CommandFailure) {
        guard !input.takesWildcardsLiterally,
            let first = input.urls.lazy.compactMap({ Pattern($0) }).first
        else { return nil }
        let terms = try DownloadTerms(input, environment: environment)
        guard terms.options.exchange.store?.objectVersion == nil else {
            throw .usage("--version-id needs the name of one object, and no pattern.")
        }
        let bucket = ObjectPrefix(first.prefix.store, bucket: first.prefix.bucket, "")
        do {
            exchange = terms.options(terms.options, for: try bucket.bucketURL("")).exchange
        } catch {
            throw .usage(error.description)
        }
        let isGiven = input.connection.retries != nil
        retries = isGiven ? terms.options.retries : WorkTerms.retriesOfListing
        hasOutput = input.output != nil
        mayShareNames = terms.options.existingFile == .autoRename || hasOutput
    }

    /// The pattern that a URL of the command line is; `nil` for any other.
    package func pattern(_ text: String) -> Pattern? { Pattern(text) }

    /// The names that a pattern has found, without those that an earlier one has found.
    ///
    /// - Throws: ``CommandFailure`` if it has found nothing.
    package mutating func end(_ pattern: Pattern) throws(CommandFailure) -> [String] {
        guard !found.isEmpty else {
            throw CommandFailure(
                .notFound,
                code: "notFound",
                "No object matches \(TerminalText.safe(pattern.text)); nothing was downloaded or added.",
                hint: "--no-glob takes the name as it is."
            )
        }
        defer { found = [] }
        return found.filter { urls.insert(Array($0.utf8)).inserted }
    }

    /// Takes a page of the listing of a pattern.
    ///
    /// - Throws: ``CommandFailure`` if two objects would have the same file.
    package mutating func take(_ page: [ListedObject], of pattern: Pattern) throws(CommandFailure) {
        // A key that ends with a slash is a folder of a web console, without bytes.
        for object in page where pattern.keys.matches(object.key) && !object.key.hasSuffix("/") {
            guard let name = pattern.prefix.object(object.key)?.description else { continue }
            guard found.count < Self.most else {
                throw .usage("\(TerminalText.safe(pattern.text)) matches more than \(Self.most) objects.")
            }
            if !hasOutput { try place(name, object.key.utf8.dropFirst(pattern.folderLength)) }
            found.append(name)
        }
    }

    /// Finds the place of an object by the rest of its key. Directories of keys stay directories.
    private mutating func place(_ name: String, _ rest: Substring.UTF8View) throws(CommandFailure) {
        let parts = rest.split(separator: 0x2F, omittingEmptySubsequences: false).map {
            String(Substring($0))
        }
        var folder = ""
        for part in parts.dropLast() {
            do {
                // A server chose it: it must be one component below the directory (I6).
                folder += (folder.isEmpty ? "" : "/") + (try FileName(userGiven: part)).rawValue
            } catch {
                throw .usage(
                    "\(TerminalText.safe(name)) cannot be saved below the directory: \(error) Nothing was downloaded or added.",
                    hint: "Name it alone, with --no-glob and -o FILE."
                )
            }
            parents[Array(folder.utf8)] = name
            if let other = files[Array(folder.utf8)] { throw clash(other, name) }
        }
        // As the download will name it: two keys may have one name that is safe.
        let own = FileName.sanitized(parts.last ?? "") ?? .fallback
        let file = Array(((folder.isEmpty ? "" : folder + "/") + own.rawValue).utf8)
        if let other = parents[file] { throw clash(name, other) }
        if !mayShareNames, let other = files.updateValue(name, forKey: file),
            !other.utf8.elementsEqual(name.utf8)
        {
            throw .usage(
                "\(TerminalText.safe(other)) and \(TerminalText.safe(name)) would be saved as the same file; nothing was "
                    + "downloaded or added.",
                hint: "Name fewer objects, or give --auto-rename."
            )
        }
        files[file] = name
        if !folder.isEmpty { folders[Array(name.utf8)] = folder }
    }

    private func clash(_ file: String, _ other: String) -> CommandFailure {
        .usage(
            "\(TerminalText.safe(file)) would be a file, and \(TerminalText.safe(other)) would be in a directory of that name; "
                + "nothing was downloaded or added.",
            hint: "Name fewer objects, or give each command a directory of its own with -d."
        )
    }
}

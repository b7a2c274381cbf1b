import Ferry

/// A list of files to upload: on each line a file, a tab and its URL, or a JSON object with `file` and `url`.
struct UploadList {
    /// A line of the list.
    struct Entry: Hashable {
        let line: Int
        let file: String
        let url: String
    }

    /// The entries, in order.
    private(set) var entries: [Entry] = []
    /// The name of the list in messages.
    let name: String

    /// The longest list, in bytes.
    private static let longest = 64 << 20

    /// Reads the list at a path; `-` is standard input.
    init(_ path: String, _ environment: ProcessEnvironment) throws(CommandFailure) {
        name = path == "-" ? "the list on standard input" : QuotedWord(path).description
        let bytes: [UInt8]
        do {
            let expanded = FilePath.expandingTilde(path, home: environment.home)
            bytes = try FileReader.read(expanded, atMost: Self.longest + 1, from: .stream).bytes
        } catch {
            throw CommandFailure(unreadable: name, error)
        }
        guard bytes.count <= Self.longest else { throw .usage("\(name) is longer than 64 MiB.") }
        try read(bytes)
    }

    init(_ bytes: [UInt8], named name: String) throws(CommandFailure) {
        self.name = name
        try read(bytes)
    }

    private mutating func read(_ bytes: [UInt8]) throws(CommandFailure) {
        var flaws = InputFlaws.ofSending
        let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            let text = line.last == 0x0D ? line.dropLast() : line
            guard let first = text.first, first != 0x23, !text.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) else {
                continue
            }
            do throws(CommandFailure) {
                let (file, url) = try Self.parts(of: text)
                entries.append(Entry(line: index + 1, file: file, url: url))
            } catch {
                flaws.add(error.located(at: "\(name), line \(index + 1)"), line: index + 1)
                if flaws.isFull { break }
            }
        }
        if let failure = flaws.failure { throw failure }
    }

    /// The file and the URL of a line.
    private static func parts(of text: ArraySlice<UInt8>) throws(CommandFailure) -> (String, String) {
        guard let (file, url) = text.first == 0x7B ? members(of: text) : columns(of: text),
            !file.isEmpty, !url.isEmpty
        else {
            throw .usage(
                "It is not a file, a tab and a URL.",
                hint: #"Or write a JSON object: {"file": "...", "url": "..."}."#
            )
        }
        guard file != "-" else { throw .usage("Standard input cannot be in a list.") }
        guard url.contains("://") else { throw .usage("\(QuotedWord(url)) is no URL.") }
        return (file, url)
    }

    private static func columns(of line: ArraySlice<UInt8>) -> (String, String)? {
        let parts = line.split(separator: 0x09, omittingEmptySubsequences: false)
        guard parts.count == 2, let file = String(validating: parts[0], as: UTF8.self),
            let url = String(validating: parts[1], as: UTF8.self)
        else { return nil }
        return (file, url)
    }

    private static func members(of line: ArraySlice<UInt8>) -> (String, String)? {
        guard let members = JSONText.members(of: line), members.count == 2,
            let file = members.first(where: { $0.name == "file" }).flatMap({ JSONText.string($0.value) }),
            let url = members.first(where: { $0.name == "url" }).flatMap({ JSONText.string($0.value) })
        else { return nil }
        return (file, url)
    }
}

import Ferry
import FerryFrontend

/// A command line of the plain forms that are typed most, read without the parser, which takes milliseconds.
///
/// The words are URLs, flags, and options with their values in the next words. Every other line is left to the parser:
/// it alone prints help, and says what is wrong. A test compares what both read.
enum QuickLine: Hashable, Sendable {
    case get(GetInput)
    case add(AddInput)
    case list(TransferListing)
    case pause(PauseInput)

    /// Reads the words of a command line.
    ///
    /// - Returns: `nil` for a line that the parser has to read.
    static func read(_ words: [String]) -> QuickLine? {
        var words = PlainWords(words)
        guard let command = words.next() else { return nil }
        switch command {
        case "get": return getInput(from: &words).map { .get($0) }
        case "add": return addInput(from: &words).map { .add($0) }
        case "list": return listing(from: &words).map { .list($0) }
        case "pause": return pauseInput(from: &words).map { .pause($0) }
        default: return nil
        }
    }

    /// Whether the command only reads the store, as a ``StoreReadingCommand`` does.
    var onlyReads: Bool {
        switch self {
        case .get, .add, .pause: false
        case .list: true
        }
    }

    /// Runs the command.
    func run() async throws {
        switch self {
        case .get(let input): try await Session.get(input)
        case .add(let input): try await Session.add(input)
        case .list(let listing): try await listing.run()
        case .pause(let input): try await input.run()
        }
    }

    private static func getInput(from words: inout PlainWords) -> GetInput? {
        var input = GetInput()
        while let word = words.next() {
            let isRead =
                switch word {
                case "-j", "--jobs": words.take(&input.jobs.jobs)
                default: words.take(word, for: &input.download) || words.take(word, for: &input.global)
                }
            guard isRead else { return nil }
        }
        // The parser explains a flaw.
        return input.download.flaw == nil && input.jobs.flaw == nil ? input : nil
    }

    private static func addInput(from words: inout PlainWords) -> AddInput? {
        var input = AddInput()
        while let word = words.next() {
            guard words.take(word, for: &input.download) || words.take(word, for: &input.global) else {
                return nil
            }
        }
        return input.download.flaw == nil ? input : nil
    }

    private static func listing(from words: inout PlainWords) -> TransferListing? {
        var listing = TransferListing()
        while let word = words.next() {
            let isRead =
                switch word {
                case "-a", "--all": words.turnOn(&listing.all)
                case "--limit": words.take(&listing.limit)
                default: words.take(word, for: &listing.global)
                }
            guard isRead else { return nil }
        }
        return listing.limit ?? 1 < 1 ? nil : listing
    }

    private static func pauseInput(from words: inout PlainWords) -> PauseInput? {
        var input = PauseInput()
        while let word = words.next() {
            if let id = TransferID(word) {
                input.selection.ids.append(id)
            } else if !words.take(word, for: &input.global) {
                return nil
            }
        }
        // The parser explains that IDs are missing.
        return input.selection.ids.isEmpty ? nil : input
    }
}

/// The words of a command line. Each is taken once. A function that takes one returns whether it could.
private struct PlainWords {
    private var rest: ArraySlice<String>

    init(_ words: [String]) {
        rest = words[...]
    }

    mutating func next() -> String? { rest.popFirst() }

    /// Turns on a flag that is off.
    func turnOn(_ flag: inout Bool) -> Bool {
        guard !flag else { return false }
        flag = true
        return true
    }

    /// Takes the next word for the value of an option that has none yet.
    mutating func take(_ value: inout String?) -> Bool {
        guard value == nil, let word = next(), Self.isPlain(word) else { return false }
        value = word
        return true
    }

    /// Takes the next word for the value of an option that has none yet: a whole number.
    mutating func take(_ value: inout Int?) -> Bool {
        var text: String?
        guard value == nil, take(&text), let number = text.flatMap({ Int($0) }) else { return false }
        value = number
        return true
    }

    /// Takes a URL, or an option that says what to download and how.
    mutating func take(_ word: String, for input: inout DownloadInput) -> Bool {
        switch word {
        case "-o", "--output": return take(&input.output)
        case "-d", "--dir": return take(&input.directory)
        case "-i", "--input": return take(&input.list)
        case "-x", "--connections": return take(&input.connections)
        case "--checksum": return take(&input.checksum)
        case "--retries", "--retry": return take(&input.connection.retries)
        case "--cacert": return take(&input.connection.certificateAuthorityFile)
        default:
            guard Self.isPlain(word) else { return false }
            input.urls.append(word)
            return true
        }
    }

    /// Takes an option of every command.
    mutating func take(_ word: String, for input: inout GlobalInput) -> Bool {
        switch word {
        case "-q", "--quiet": turnOn(&input.quiet)
        case "--json": turnOn(&input.json)
        case "--data-dir": take(&input.dataDir)
        default: false
        }
    }

    /// Whether a word is no option, nor `-` or empty, which some options take for something else.
    private static func isPlain(_ word: String) -> Bool {
        guard let first = word.utf8.first else { return false }
        return first != UInt8(ascii: "-")
    }
}

/// The entries of a `.netrc` file, as curl reads it.
///
/// Tokens are separated by white space. A token in double quotes may contain spaces, and the escapes `\"`, `\\`,
/// `\n`, `\r` and `\t`. A `#` where a token would start makes the rest of the line a comment. Macros and unknown
/// words are skipped.
package struct Netrc: Hashable, Sendable {
    /// The entries, in the order of the file.
    package let entries: [Entry]

    /// What the file says about one host.
    package struct Entry: Hashable, Sendable {
        /// The host; `nil` for `default`, which matches every host.
        package let machine: String?
        /// The user.
        package internal(set) var login: String?
        /// The password; a secret.
        package internal(set) var password: String?
        /// An additional password for FTP, which HTTP does not use; a secret.
        package internal(set) var account: String?
    }

    /// Reads the text of a file.
    ///
    /// - Throws: ``ParseError`` with the number of the line, when a quote is not closed or a keyword has no value.
    package init(parsing text: String) throws(ParseError) {
        var lexer = Lexer(text)
        var entries: [Entry] = []
        while let token = try lexer.next() {
            switch token.text {
            case "machine":
                entries.append(Entry(machine: try lexer.value(of: token)))
            case "default":
                entries.append(Entry(machine: nil))
            case "macdef":
                lexer.skipMacro()
            case "login", "password", "account":
                let value = try lexer.value(of: token)
                // A value before the first machine belongs to no host.
                guard !entries.isEmpty else { continue }
                entries[entries.count - 1].set(token.text, to: value)
            default:
                continue
            }
        }
        self.entries = entries
    }

    /// Returns the credentials for a host: those of the first machine of exactly that name, without regard to case,
    /// or else those of `default`.
    ///
    /// With a `login`, only an entry with the same login or none counts.
    package func credentials(forHost host: String, login: String? = nil) -> Credentials? {
        func fits(_ entry: Entry) -> Bool {
            guard let login, let theirs = entry.login else { return true }
            return login == theirs
        }
        let entry =
            entries.first { $0.machine?.utf8.equalsIgnoringASCIICase(host.utf8) == true && fits($0) }
            ?? entries.first { $0.machine == nil && fits($0) }
        guard let entry, entry.login != nil || entry.password != nil else { return nil }
        return .basic(user: entry.login ?? login ?? "", password: entry.password ?? "")
    }

    /// Why a text is not a `.netrc` file.
    package enum ParseError: Error, Hashable, Sendable {
        /// The quote that opens in this line, counted from 1, is not closed in it.
        case unclosedQuote(line: Int)
        /// The keyword in this line, counted from 1, is the last word and has no value.
        case missingValue(word: String, line: Int)
    }
}

extension Netrc.Entry {
    init(machine: String?) {
        self.machine = machine
        login = nil
        password = nil
        account = nil
    }

    fileprivate mutating func set(_ word: String, to value: String) {
        switch word {
        case "login": login = value
        case "password": password = value
        default: account = value
        }
    }
}

extension Netrc.ParseError: CustomStringConvertible {
    /// The reason in one sentence for a person.
    package var description: String {
        switch self {
        case .unclosedQuote(let line): "line \(line): a quoted word is not closed."
        case .missingValue(let word, let line): "line \(line): '\(word)' has no value."
        }
    }
}

extension Netrc: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The number of entries, without their content.
    package var description: String { "netrc with \(entries.count) entries" }

    /// The number of entries, without their content.
    package var debugDescription: String { description }

    /// A mirror without children.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension Netrc.Entry: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The machine; user and passwords are never shown.
    package var description: String { machine.map { "machine \($0)" } ?? "default" }

    /// The machine; user and passwords are never shown.
    package var debugDescription: String { description }

    /// A mirror that shows the machine only.
    package var customMirror: Mirror { Mirror(self, children: ["machine": machine as Any]) }
}

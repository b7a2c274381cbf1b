import ArgumentParser
import Ferry
import FerryFrontend

/// Prepares a command line for the parser, and the parser's messages for display.
enum Invocation {
    /// Refuses an invocation without arguments. On Linux, Swift reads them from `/proc`. If that is not mounted it
    /// returns none, not even the program's name. The command would then do something else than requested, and report
    /// success.
    static func check(_ arguments: [String]) throws(CommandFailure) {
        guard arguments.isEmpty else { return }
        throw .cannotOpen(
            "The arguments of this command cannot be read from /proc/self/cmdline; nothing was done.",
            hint: "Mount /proc, with `mount -t proc proc /proc`, and try again."
        )
    }

    /// Refuses words and variables that are not UTF-8. Swift would replace the invalid bytes, and another file than
    /// the named one would be written. They are not quoted, because they may hold a secret.
    static func checkEncoding(
        _ words: [[UInt8]],
        variables: [(name: String, value: [UInt8])]
    ) throws(CommandFailure) {
        if let index = words.firstIndex(where: { String(validating: $0, as: UTF8.self) == nil }) {
            throw .usage("Argument \(index) is not UTF-8; nothing was done.", hint: encodingHint)
        }
        let wrong = variables.first { variable in
            matters(variable.name) && String(validating: variable.value, as: UTF8.self) == nil
        }
        guard let wrong else { return }
        throw .usage("The variable \(wrong.name) is not UTF-8; nothing was done.", hint: encodingHint)
    }

    private static let encodingHint = "Ferry takes names, paths and URLs in UTF-8 only."

    /// Whether Ferry reads a variable.
    private static func matters(_ name: String) -> Bool {
        let isPrefixed = ["FERRY_", "XDG_"].contains { name.hasPrefix($0) }
        return isPrefixed || name == "HOME" || name == "NOTIFY_SOCKET"
            || name.lowercased().hasSuffix("_proxy")
    }

    /// The arguments. Global options before the command are moved to a place after it.
    ///
    /// - Throws: `ValidationError` for a first word that is not a command, with a suggestion; ``CommandFailure`` for an option that
    ///   is given once, and was repeated.
    static func arranged(_ words: [String]) throws -> [String] {
        let (leading, line) = divided(words)
        var rest = line
        guard let command = rest.first else { return words }
        if command.hasPrefix("-") {
            try checkCommand(in: Array(rest))
            return leading.isEmpty ? words : Array(rest) + leading
        }
        if command == "help" {
            if let topic = rest.dropFirst().first, topic != "help", !topic.hasPrefix("-"),
                commandType(named: topic) == nil
            {
                throw unknown(topic)
            }
            return Array(rest)
        }
        guard let type = commandType(named: command) else { throw unknown(command) }
        if let advice = ForeignOption.adviceOnSplit(in: rest) { throw ValidationError(advice) }
        rest = ShortOption.detached(Array(rest.dropFirst()), of: command)[...]
        rest = JoinedWords.joined(Array(rest), of: command)[...]
        let typed: [String] = [command] + rest
        try SingleOption.check(typed, of: commandType(of: typed[...]) ?? type)
        // After both words of a two-word command.
        if let second = rest.first, subcommandType(named: second, of: type) != nil {
            return [command, second] + leading + rest.dropFirst()
        }
        return [command] + leading + rest
    }

    /// The global options before the command, and the rest.
    private static func divided(_ words: [String]) -> (leading: [String], rest: ArraySlice<String>) {
        var leading: [String] = []
        var rest = words[...]
        while let word = rest.first, word.hasPrefix("-") {
            let name = String(word.prefix { $0 != "=" })
            if GlobalOptions.valued.contains(name), name == word, rest.count > 1 {
                leading += rest.prefix(2)
                rest = rest.dropFirst(2)
            } else if GlobalOptions.flags.contains(word) || GlobalOptions.valued.contains(name)
                || ShortOption.areGlobal(word)
            {
                leading.append(word)
                rest = rest.dropFirst()
            } else {
                break
            }
        }
        return (leading, rest)
    }

    /// Refuses a line that has options of a command and a URL, but no command.
    private static func checkCommand(in words: [String]) throws {
        let names = commandNames + ["-h", "--help", "--version"]
        guard !words.contains(where: { names.contains($0) }),
            let place = words.firstIndex(where: FamiliarWord.isURL)
        else { return }
        let flags = words[..<place]
        let letters = ShortOption.flags(of: "get")
        // Any other word may have a value, which may be a secret.
        let arePlain = flags.allSatisfy { word in
            word.hasPrefix("-") && word.dropFirst().allSatisfy { letters.contains($0) }
        }
        let line = (["ferry get"] + (arePlain ? Array(flags) : ["…"]) + ["URL"]).joined(separator: " ")
        throw ValidationError("A command is missing; did you mean `\(line)`?")
    }

    private static func commandType(named name: String) -> (any ParsableCommand.Type)? {
        FerryCommand.commands.first { $0.configuration.commandName == name }
    }

    private static func subcommandType(
        named name: String,
        of command: any ParsableCommand.Type
    ) -> (any ParsableCommand.Type)? {
        command.configuration.subcommands.first { $0.configuration.commandName == name }
    }

    /// What to type instead of a word that is no command.
    private static func unknown(_ word: String) -> ValidationError {
        do throws(HTTPURL.ParseError) {
            let url = try HTTPURL(parsing: word)
            let isWhole = url.redacted == url.absoluteString
            return ValidationError(missingCommand(before: url.redacted, isWhole: isWhole))
        } catch .missingScheme(let suggestion?) where word.contains(".") || word.contains("/") {
            return ValidationError(missingCommand(before: suggestion, isWhole: suggestion.hasSuffix(word)))
        } catch {
            // It is not meant as a URL.
        }
        let shown = TerminalText.truncatedAtEnd(TerminalText.safe(word), to: 40)
        if let known = familiar[word] {
            return ValidationError("There is no command '\(shown)'; did you mean `ferry \(known)`?")
        }
        guard let near = EditDistance.nearest(to: word, among: commandNames, within: 2) else {
            return ValidationError("There is no command '\(shown)'; `ferry help` lists them.")
        }
        return ValidationError("There is no command '\(shown)'; did you mean `ferry \(near)`?")
    }

    /// The message for a URL without a command. A suggested line must work: its URL has nothing masked.
    private static func missingCommand(before url: String, isWhole: Bool) -> String {
        let isPlain = url.allSatisfy { $0.isLetter || $0.isNumber || "-._~/:%+,@".contains($0) }
        let line = !isWhole ? "ferry get URL" : isPlain ? "ferry get \(url)" : "ferry get '\(url)'"
        return "A command is missing; did you mean `\(line)`?"
    }

    private static let completion = "--generate-completion-script SHELL"

    /// The names that other tools use for these commands.
    private static let familiar = [
        "rm": "remove", "delete": "remove", "del": "remove", "forget": "remove", "ls": "list",
        "status": "list",
        "ps": "list", "download": "get", "fetch": "get", "wget": "get", "curl": "get", "info": "show",
        "describe": "show", "stop": "pause", "continue": "resume", "start": "run", "serve": "run --forever",
        "daemon": "run --forever", "abort": "cancel", "kill": "cancel", "enqueue": "add",
        "settings": "config",
        "check": "verify", "clean": "prune", "purge": "prune", "set": "edit", "follow": "watch",
        "top": "watch", "post": "send POST", "request": "send", "submit": "send", "signurl": "presign",
        "sign": "presign", "encrypt": "seal", "decrypt": "open", "unseal": "open", "sync": "mirror",
        "rsync": "mirror", "upload": "put", "head": "get -I", "unpause": "resume", "tell": "show",
        "completion": completion, "completions": completion,
    ]

    /// Every word that a command line may begin with.
    static var commandNames: [String] {
        FerryCommand.commands.compactMap { $0.configuration.commandName } + ["help"]
    }

    /// A usage error without the parser's lines about the syntax, for `--json`.
    static func failure(_ text: String) -> CommandFailure {
        let lines = withoutLabel(text).split(separator: "\n").map(String.init)
        let hint = lines.last { $0.hasPrefix("  See ") }.map { String($0.dropFirst(2)) }
        return .usage(lines.first ?? text, hint: hint)
    }

    /// The text of a usage error in this tool's wording, safe for a terminal.
    static func mistake(_ text: String) -> String {
        "ferry: " + TerminalText.safeLines(withoutLabel(text))
    }

    /// The parser's message without the word that it begins with.
    private static func withoutLabel(_ text: String) -> String {
        let label = "Error: "
        return text.hasPrefix(label) ? String(text.dropFirst(label.count)) : text
    }

    /// The parser's message, or the replacement for an option of another tool.
    static func explained(_ text: String, _ words: [String]) -> String {
        if text.contains("had already been set with flag") {
            let policies = ["--overwrite", "--no-clobber", "--auto-rename"]
            return policies.filter { words.contains($0) }.joined(separator: " and ")
                + " cannot be used together."
        }
        let isBody =
            text.contains("does not take any value") && words.contains { $0.hasPrefix("--json=") }
            || text.contains("nexpected argument") && words.contains("send") && words.contains("--json")
        if isBody { return FamiliarWord.adviceOnJSON(in: words.first { commandNames.contains($0) } ?? "") }
        if let advice = adviceOnValue(text, words) ?? adviceOnAttachedValue(words) { return advice }
        if text.contains("is invalid for '-x <") {
            return "-x COUNT uses up to COUNT connections; --proxy URL names a proxy."
        }
        // The parser takes the H for -H, and the next word for its value.
        if text.contains("Unknown option '-n") || text.contains("Missing"), words.contains("-nH"),
            let advice = ForeignOption.advice(on: "-nH", in: words)
        {
            return advice
        }
        if let message = namingSubcommand(text, words) ?? pointingToShow(text, words) { return message }
        let message = namingUnknownOption(text, words)
        if message.contains("is invalid for '<id>'") { return namingIDs(message) }
        if message.contains("Missing expected argument") || message.contains("Missing one of"),
            let swallowed = SwallowedURL(in: words)
        {
            return swallowed.added(to: message)
        }
        let marks = message.ranges(of: "'")
        guard message.contains("Unknown option"), marks.count >= 2 else { return message }
        let option = String(message[marks[0].upperBound..<marks[1].lowerBound])
        if option == "--", let output = joinedOutput(in: words) { return output }
        return ForeignOption.advice(on: option, in: words) ?? withoutFarGuess(message)
    }

    /// The message about a word behind a command of two words that is none of its commands; `nil` for any other mistake. The
    /// parser takes the word for an argument of the default one.
    private static func namingSubcommand(_ text: String, _ words: [String]) -> String? {
        let line = divided(words).rest
        guard text.contains("nexpected argument"), let command = line.first,
            let names = commandType(named: command)?.configuration.subcommands
                .compactMap({ $0.configuration.commandName }),
            !names.isEmpty, let word = line.dropFirst().first, !word.hasPrefix("-"), !names.contains(word)
        else { return nil }
        return "Error: \(UnknownSubcommand.message(word, in: command, names))\n"
            + "  See 'ferry \(command) --help' for more information."
    }

    /// The message about IDs behind `list`, which takes none; `nil` for any other mistake.
    private static func pointingToShow(_ text: String, _ words: [String]) -> String? {
        guard text.contains("nexpected argument"), divided(words).rest.first == "list" else { return nil }
        let parts = text.prefix { $0 != "\n" }.split(separator: "'", omittingEmptySubsequences: false)
        let quoted = parts.indices.filter { !$0.isMultiple(of: 2) }.map { String(parts[$0]) }
        guard !quoted.isEmpty, quoted.allSatisfy({ TransferID($0) != nil }) else { return nil }
        let ids = quoted.joined(separator: " ")
        return "Error: `ferry list` takes no ID; `ferry show \(ids)` shows all details."
    }

    /// Advice on a flag with a value, as in aria2's `--continue=true`; `nil` for any other mistake, and for flags that
    /// only Ferry has.
    private static func adviceOnValue(_ text: String, _ words: [String]) -> String? {
        guard text.contains("does not take any value"), let open = text.firstRange(of: "'--") else {
            return nil
        }
        let name = text[open.lowerBound...].dropFirst().prefix { $0 != "'" }
        return ForeignOption.advice(on: String(name), in: words)
    }

    /// Advice on an option of another tool with its value in the same word; `nil` for any other mistake.
    private static func adviceOnAttachedValue(_ words: [String]) -> String? {
        let line = divided(words).rest
        guard let command = line.first, let names = commandType(of: line).map({ OptionNames(of: $0) }) else {
            return nil
        }
        return ForeignOption.adviceOnAttached(in: line.dropFirst(), names, of: command)
    }

    /// The parser's message about a word that is no ID, with what an ID looks like.
    private static func namingIDs(_ text: String) -> String {
        guard let open = text.firstRange(of: "'"), let close = text.firstRange(of: "' is invalid for") else {
            return text
        }
        let word = text[open.lowerBound...close.lowerBound]
        let usage = text.firstRange(of: "\nUsage: ").map { text[$0.lowerBound...] } ?? ""
        return "Error: \(word) is no ID of a transfer. An ID is a number, such as 7; `ferry list` shows them."
            + usage
    }

    /// The parser's message, or one about an unknown option. The parser looks for these last, and says first that something is
    /// missing, which the option was to give, or that the option's value is no ID.
    private static func namingUnknownOption(_ text: String, _ words: [String]) -> String {
        let line = divided(words).rest
        guard !text.contains("nknown option"), let names = commandType(of: line).map({ OptionNames(of: $0) }),
            let option = names.unknown(in: line.dropFirst())
        else { return text }
        let guess = names.nearest(to: option).map { " Did you mean '\($0)'?" } ?? ""
        let usage = text.firstRange(of: "\nUsage: ").map { text[$0.lowerBound...] } ?? ""
        return "Error: Unknown option '\(option)'.\(guess)\(usage)"
    }

    /// The command that a line begins with, which may have two words; `nil` if it begins with none.
    private static func commandType(of line: ArraySlice<String>) -> (any ParsableCommand.Type)? {
        guard let first = line.first.flatMap({ commandType(named: $0) }) else { return nil }
        return line.dropFirst().first.flatMap { subcommandType(named: $0, of: first) }
            ?? first.configuration.defaultSubcommand ?? first
    }

    /// What to type instead of wget's `-O-`, alone or behind other options: the parser takes the last hyphen for an option.
    private static func joinedOutput(in words: [String]) -> String? {
        let isJoined = words.contains { word in
            word.hasPrefix("-") && !word.hasPrefix("--") && word.hasSuffix("O-")
        }
        return isJoined ? FamiliarWord.advice(onName: "-") : nil
    }

    /// A help text with the options of the command itself before those that it shares with others. The parser prints groups with
    /// a title first.
    static func withOwnOptionsFirst(_ help: String) -> String {
        var blocks = help.split(separator: "\n\n", omittingEmptySubsequences: false)
        func isGroup(_ block: Substring) -> Bool {
            block.prefix { $0 != "\n" }.hasSuffix(" OPTIONS:")
        }
        guard let first = blocks.firstIndex(where: isGroup),
            let own = blocks[first...].firstIndex(where: { $0.hasPrefix("OPTIONS:") })
        else { return help }
        // A discussion of an option may have empty lines.
        let end =
            blocks[(own + 1)...].firstIndex { isGroup($0) || $0.hasPrefix("SUBCOMMANDS:") } ?? blocks.endIndex
        let moved = blocks[own..<end]
        blocks.removeSubrange(own..<end)
        blocks.insert(contentsOf: moved, at: first)
        return blocks.joined(separator: "\n\n")
    }

    /// The parser's message without a suggestion that is another word than the one that was typed.
    private static func withoutFarGuess(_ text: String) -> String {
        let marks = text.ranges(of: "'")
        guard marks.count >= 4, let guess = text.firstRange(of: " Did you mean '") else { return text }
        let typed = String(text[marks[0].upperBound..<marks[1].lowerBound])
        let meant = String(text[marks[2].upperBound..<marks[3].lowerBound])
        let letters = typed.drop { $0 == "-" }.count
        // As with commands: one letter in three may be wrong.
        guard meant.hasPrefix("--"), EditDistance.between(typed, meant) <= letters / 3 else {
            let end = text[marks[3].upperBound...].dropFirst()
            return String(text[..<guess.lowerBound] + end)
        }
        return text
    }

    /// The parser's message without secrets that it quotes from the command line (I7).
    static func redacted(_ text: String, _ words: [String]) -> String {
        zip([""] + words, words).reduce(text) { text, pair in
            let (former, word) = pair
            let quoted = CommandWords.quoted(word, after: former)
            return quoted == word ? text : replacing(word, by: quoted, in: text)
        }
    }

    /// Replaces a word that stands alone: a short one may also be part of other words.
    private static func replacing(_ word: String, by other: String, in text: String) -> String {
        func isPartOfAWord(_ character: Character?) -> Bool {
            character.map { $0.isLetter || $0.isNumber } ?? false
        }
        var text = text
        for range in text.ranges(of: word).reversed() {
            let isInside =
                isPartOfAWord(text[..<range.lowerBound].last)
                || isPartOfAWord(text[range.upperBound...].first)
            if !isInside { text.replaceSubrange(range, with: other) }
        }
        return text
    }
}

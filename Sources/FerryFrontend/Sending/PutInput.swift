import Ferry

/// Which files are sent where, as texts that are not checked yet.
///
/// The tool fills it from a command line. Messages name its members as the tool's options.
package struct PutInput: Sendable {
    /// The files, `-` for standard input, and then the URL.
    package var words: [String] = []
    /// A list of files with their URLs; `-` for standard input.
    package var list: String?
    /// Whether the only file is a directory, whose files are sent.
    package var isRecursive = false
    /// The media type of the files.
    package var contentType: String?
    /// Whether a file is sent only if the server has nothing under its URL.
    package var noClobber = false
    /// Whether a file is sent even if it was sent before and was not changed.
    package var overwrites = false
    /// The entity tag of the only version that may be replaced.
    package var ifMatch: String?
    /// What the requests have in common.
    package var common: SendInput

    package init(_ common: SendInput) {
        self.common = common
    }

    /// The requests: one `PUT` for each file.
    ///
    /// - Parameters:
    ///   - warn: hears of what is not sent because it is no file.
    ///   - leaveOut: hears of each file or directory that cannot be sent although it was asked for. The others are sent.
    /// - Throws: ``CommandFailure`` with status 64 for invalid arguments, and 15 for a file that cannot be read.
    package func plans(
        environment: ProcessEnvironment,
        _ warn: (String) -> Void = { _ in },
        leaveOut: (CommandFailure) -> Void = { _ in }
    ) throws(CommandFailure) -> [RequestPlan] {
        guard !overwrites || !noClobber else {
            throw .usage("--overwrite and --no-clobber cannot be used together.")
        }
        var input = common
        (input.replacesUnfinished, input.sendsAgain, input.sendsNoKey) = (true, overwrites, true)
        input.request.header += try fields()
        let terms = try SendTerms(input, environment)
        var plans: [RequestPlan] = []
        var places: [String: String] = [:]
        var flaws = InputFlaws.ofSending
        for (file, url, path, line) in try pairs(environment, warn, leaveOut) where !flaws.isFull {
            (input.upload, input.url, input.uploading.relativePath) = (file, url, path)
            let creates = common.uploading.createsUploads(at: url)
            input.method = creates && common.uploading.protocolName != "tus" ? "POST" : "PUT"
            do throws(CommandFailure) {
                if let other = places.updateValue(file, forKey: creates ? "\(url)\n\(file)" : url) {
                    throw Self.twins(other, file, areCreated: creates)
                }
                plans.append(try RequestPlan(input, uuid: TransferUUID(), terms: terms))
            } catch {
                var failure = error
                failure.message = line + failure.message
                flaws.add(failure)
            }
        }
        if let failure = flaws.failure { throw failure }
        return plans
    }

    /// The failure of two files that would be sent to the same place.
    private static func twins(_ former: String, _ file: String, areCreated: Bool) -> CommandFailure {
        areCreated
            ? .usage("\(QuotedWord(file)) is named twice.")
            : .usage(
                "\(QuotedWord(former)) and \(QuotedWord(file)) would have the same URL.",
                hint: "Send each with a command of its own, and with its whole URL."
            )
    }

    /// A file, its URL, its path below a directory, and what a message about it begins with.
    private typealias Pair = (file: String, url: String, path: String?, line: String)

    private func pairs(
        _ environment: ProcessEnvironment,
        _ warn: (String) -> Void,
        _ leaveOut: (CommandFailure) -> Void
    ) throws(CommandFailure) -> [Pair] {
        guard let list else {
            return try isRecursive ? filesBelow(environment, warn, leaveOut) : filesOfWords()
        }
        guard words.isEmpty, !isRecursive else {
            throw .usage("-i has the files and their URLs; leave out the others, and -r.")
        }
        let read = try UploadList(list, environment)
        var pairs: [Pair] = []
        var flaws = InputFlaws.ofSending
        for entry in read.entries where !flaws.isFull {
            let line = "\(read.name), line \(entry.line)"
            do throws(CommandFailure) {
                let url = try url(of: entry.file, at: entry.url, isAlone: true)
                pairs.append((entry.file, url, nil, "\(line): "))
            } catch {
                flaws.add(error.located(at: line))
            }
        }
        if let failure = flaws.failure { throw failure }
        return pairs
    }

    /// The files below a directory.
    private func filesBelow(
        _ environment: ProcessEnvironment,
        _ warn: (String) -> Void,
        _ leaveOut: (CommandFailure) -> Void
    ) throws(CommandFailure) -> [Pair] {
        guard words.count == 2, let directory = words.first, let target = words.last, target.contains("://")
        else {
            throw .usage(
                "-r needs one directory and a URL.",
                hint: "Such as `ferry put -r photos s3://bucket/photos/`."
            )
        }
        // A directory may have many files, and is not read for nothing.
        _ = try url(ofPath: "", below: target)
        let path = FilePath.absolute(directory, in: environment.workingDirectory)
        let tree = try FileTree(path)
        for (other, kind) in tree.others { warn("\(TerminalText.safe(other)) \(kind), and is not sent.") }
        for (other, isDirectory) in tree.withoutText {
            let what = isDirectory ? "no file in it is sent" : "it is not sent"
            let name = TerminalText.safe(other)
            leaveOut(.cannotOpen("\(name) has a name that is not UTF-8, so \(what). Rename it."))
        }
        var pairs: [Pair] = []
        for file in tree.files {
            let name = TerminalText.safe(file)
            pairs.append(("\(path)/\(file)", try url(ofPath: file, below: target), file, "\(name): "))
        }
        if common.uploading.createsUploads(at: target), common.uploading.protocolName != "tus",
            tree.files.contains(where: { $0.contains("/") })
        {
            warn("The server is told the names of the files, and not their directories.")
        }
        return pairs
    }

    /// The URL of a file with its path below the directory.
    private func url(ofPath path: String, below target: String) throws(CommandFailure) -> String {
        if common.uploading.createsUploads(at: target) { return target }
        let isObject = Self.namesObject(target)
        let (base, rest) =
            isObject ? (path: UploadChoice.name(of: target), rest: "") : UploadChoice.parts(of: target)
        guard base.hasSuffix("/") else {
            throw .usage(
                "With -r the URL must end with /; nothing was sent.",
                hint: "Each file is then sent to that URL and its path below the directory, as with "
                    + "\(QuotedWord("\(base)/\(rest)"))."
            )
        }
        if isObject { return base + path }
        let segments = path.utf8.split(separator: UInt8(ascii: "/")).map {
            PercentEncoded.segment(String(Substring($0)))
        }
        return base + segments.joined(separator: "/") + rest
    }

    /// Whether a text is the name of an object, and no URL of HTTP.
    private static func namesObject(_ target: String) -> Bool {
        ObjectStore.allCases.contains { target.lowercased().hasPrefix("\($0.rawValue)://") }
    }

    /// The files of the command line.
    private func filesOfWords() throws(CommandFailure) -> [Pair] {
        guard let target = words.last, words.count > 1 else {
            throw .nothingToUpload
        }
        let files = words.dropLast()
        guard target.contains("://") else {
            throw .usage(
                "The last word must be a URL, and \(QuotedWord(target)) is not; nothing was sent.",
                hint: lineWithURL(insteadOf: target)
            )
        }
        var pairs: [Pair] = []
        for file in files {
            pairs.append((file, try url(of: file, at: target, isAlone: files.count == 1), nil, ""))
        }
        return pairs
    }

    /// What to type instead of a last word that is no URL.
    private func lineWithURL(insteadOf word: String) -> String {
        guard !words.contains(where: { $0.contains("://") }), let url = Self.completed(word) else {
            return "The URL comes last, as in `ferry put FILE https://example.org/files/`."
        }
        return "A URL begins with its scheme, as in `ferry put FILE \(url)`."
    }

    /// A host with a path or a port, with the scheme that it lacks; `nil` for any other word.
    private static func completed(_ word: String) -> String? {
        do throws(HTTPURL.ParseError) {
            return try HTTPURL(typed: word).redacted
        } catch {
            guard case .missingScheme(let suggestion) = error, word.contains(":") else { return nil }
            return suggestion
        }
    }

    /// The header fields that follow from the options.
    private func fields() throws(CommandFailure) -> [String] {
        if noClobber, ifMatch != nil { throw .usage("--no-clobber and --if-match cannot be used together.") }
        for (name, option, isGiven) in [
            ("Content-Type", "--content-type", contentType != nil),
            ("If-None-Match", "--no-clobber", noClobber),
            ("If-Match", "--if-match", ifMatch != nil),
        ] where isGiven && common.request.names(name) {
            throw .usage("-H '\(name)' and \(option) cannot be used together; nothing was sent.")
        }
        var fields: [String] = []
        if let contentType { fields.append("Content-Type: \(contentType)") }
        if noClobber { fields.append("If-None-Match: *") }
        if let ifMatch {
            let isWhole = ifMatch == "*" || ifMatch.hasPrefix("\"") || ifMatch.hasPrefix("W/")
            fields.append("If-Match: \(isWhole ? ifMatch : "\"\(ifMatch)\"")")
        }
        return fields
    }

    /// The URL of one file. A URL whose path ends with `/` is completed with the name of the file, unless uploads are created at
    /// it.
    private func url(of file: String, at target: String, isAlone: Bool) throws(CommandFailure) -> String {
        if Self.namesObject(target) {
            return try name(of: file, at: target, isAlone: isAlone)
        }
        if file == "-", let name = common.uploading.protocolName, ["tus", "ietf"].contains(name) {
            throw .usage(
                "Standard input is sent by one PUT, and cannot be sent by \(name); nothing was sent.",
                hint: "Save it in a file first, or leave out --protocol."
            )
        }
        if common.uploading.createsUploads(at: target) {
            _ = try name(of: file)
            return target
        }
        let (path, rest) = UploadChoice.parts(of: target)
        guard path.hasSuffix("/") else {
            guard isAlone else {
                throw .usage(
                    "Several files need a URL that ends with /; nothing was sent.",
                    hint: "Each file is then sent to that URL and its own name, as with "
                        + "\(QuotedWord("\(path)/\(rest)"))."
                )
            }
            return target
        }
        guard file != "-" else {
            throw .usage(
                "Standard input has no name, so its URL must not end with /; nothing was sent.",
                hint: "Such as `ferry put - https://example.org/files/backup.tar`."
            )
        }
        return path + PercentEncoded.segment(try name(of: file)) + rest
    }

    private func name(of file: String) throws(CommandFailure) -> String {
        let name = FilePath.split(file).name
        guard !file.isEmpty else { throw .usage("The name of a file is empty.") }
        guard !name.isEmpty, name != ".", name != ".." else {
            throw .usage("\(QuotedWord(file)) is a directory; `ferry put` sends files.")
        }
        return name
    }

    /// The name of the object for one file. Nothing in it is escaped.
    private func name(of file: String, at target: String, isAlone: Bool) throws(CommandFailure) -> String {
        let target = UploadChoice.name(of: target)
        guard target.hasSuffix("/") else {
            if isAlone { return target }
            throw .usage(
                "Several files need a name that ends with /; nothing was sent.",
                hint: "Each file then becomes an object with that prefix and its own name, as with "
                    + "\(QuotedWord(target + "/"))."
            )
        }
        let name = FilePath.split(file).name
        guard file != "-", !name.isEmpty, name != ".", name != ".." else {
            throw .usage("\(QuotedWord(file)) has no name for the object; nothing was sent.")
        }
        return target + name
    }
}

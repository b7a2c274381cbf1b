import Ferry

/// Which files are sent where, as texts that are not checked yet.
///
/// The tool fills it from a command line. Messages name its members as the tool's options.
package struct PutInput: Sendable {
    /// The files, `-` for standard input, and then the URL.
    package var words: [String] = []
    /// The media type of the files.
    package var contentType: String?
    /// Whether a file is sent only if the server has nothing under its URL.
    package var noClobber = false
    /// The entity tag of the only version that may be replaced.
    package var ifMatch: String?
    /// What the requests have in common.
    package var common: SendInput

    package init(_ common: SendInput) {
        self.common = common
    }

    /// The requests: one `PUT` for each file.
    ///
    /// - Throws: ``CommandFailure`` with status 64 for invalid arguments, and 15 for a file that cannot be read.
    package func plans(environment: ProcessEnvironment) throws(CommandFailure) -> [RequestPlan] {
        guard let target = words.last, words.count > 1 else {
            throw .usage(
                "`ferry put` needs a file and a URL.",
                hint: "Such as `ferry put report.pdf https://example.org/files/`."
            )
        }
        let files = words.dropLast()
        guard target.contains("://") else {
            throw .usage(
                "The last word must be a URL, and \(QuotedWord(target)) is not; nothing was sent.",
                hint: "The URL comes last, as in `ferry put FILE https://example.org/files/`."
            )
        }
        var input = common
        input.method = "PUT"
        input.replacesUnfinished = true
        input.request.header += try fields()
        var plans: [RequestPlan] = []
        var places: [String: String] = [:]
        for file in files {
            input.upload = file
            input.url = try url(of: file, at: target, isAlone: files.count == 1)
            if let other = places.updateValue(file, forKey: input.url) {
                throw .usage(
                    "\(QuotedWord(other)) and \(QuotedWord(file)) would have the same URL; nothing was sent.",
                    hint: "Send each with a command of its own, and with its whole URL."
                )
            }
            plans.append(try RequestPlan(input, uuid: TransferUUID(), environment: environment))
        }
        return plans
    }

    /// The header fields that follow from the options.
    private func fields() throws(CommandFailure) -> [String] {
        if noClobber, ifMatch != nil { throw .usage("--no-clobber and --if-match cannot be used together.") }
        var fields: [String] = []
        if let contentType { fields.append("Content-Type: \(contentType)") }
        if noClobber { fields.append("If-None-Match: *") }
        if let ifMatch {
            let isWhole = ifMatch == "*" || ifMatch.hasPrefix("\"") || ifMatch.hasPrefix("W/")
            fields.append("If-Match: \(isWhole ? ifMatch : "\"\(ifMatch)\"")")
        }
        return fields
    }

    /// The URL of one file. A URL whose path ends with `/` is completed with the name of the file.
    private func url(of file: String, at target: String, isAlone: Bool) throws(CommandFailure) -> String {
        if ObjectStore.allCases.contains(where: { target.lowercased().hasPrefix("\($0.rawValue)://") }) {
            return try name(of: file, at: target, isAlone: isAlone)
        }
        let end = target.firstIndex { $0 == "?" || $0 == "#" } ?? target.endIndex
        var path = String(target[..<end])
        let rest = target[end...]
        // A URL without a path has the path "/" (RFC 9110 §4.2.3).
        if path.split(separator: "/", omittingEmptySubsequences: false).count == 3 { path += "/" }
        guard path.hasSuffix("/") else {
            guard isAlone else {
                throw .usage(
                    "Several files need a URL that ends with /; nothing was sent.",
                    hint: "Each file is then sent to that URL and its own name."
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
        let name = FilePath.split(file).name
        guard !file.isEmpty else { throw .usage("The name of a file is empty.") }
        guard !name.isEmpty, name != ".", name != ".." else {
            throw .usage("\(QuotedWord(file)) is a directory; `ferry put` sends files.")
        }
        return path + PercentEncoded.segment(name) + rest
    }

    /// The name of the object for one file. Nothing in it is escaped.
    private func name(of file: String, at target: String, isAlone: Bool) throws(CommandFailure) -> String {
        guard target.hasSuffix("/") else {
            if isAlone { return target }
            throw .usage(
                "Several files need a name that ends with /; nothing was sent.",
                hint: "Each file then becomes an object with that prefix and its own name."
            )
        }
        let name = FilePath.split(file).name
        guard file != "-", !name.isEmpty, name != ".", name != ".." else {
            throw .usage("\(QuotedWord(file)) has no name for the object; nothing was sent.")
        }
        return target + name
    }
}

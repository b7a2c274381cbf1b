import Ferry

/// A list of requests: one JSON object on each line. It is read twice, so that nothing of it is added if a line is wrong,
/// and only a part of it is in memory.
package final class RequestList {
    /// Maximum bytes of a line: those of the longest body in JSON, in which each byte may take six, and of the rest.
    static let longestLine = 6 * RequestSpecification.longestBody + (64 << 10)

    private let stream: ListStream
    private let defaults: SendInput
    private let terms: SendTerms
    /// What was read and not used yet.
    private var buffer: ArraySlice<UInt8> = []
    private var hasEnded = false
    private var line = 0

    /// Opens a list.
    ///
    /// - Parameters:
    ///   - path: the path of the list; `-` is standard input.
    ///   - defaults: what the command line says of all requests.
    /// - Throws: ``CommandFailure`` with status 15 when it, or the file of an option, cannot be read, and 64 for options that are
    ///   invalid or for one request.
    package init(
        _ path: String,
        _ defaults: SendInput,
        _ environment: ProcessEnvironment
    ) throws(CommandFailure) {
        guard defaults.method.isEmpty else {
            throw .usage(
                "-i and \(QuotedWord(defaults.method)) cannot be used together; the list has the methods and the URLs."
            )
        }
        guard defaults.data == nil, defaults.dataFile == nil, defaults.dataJSON == nil, defaults.form.isEmpty,
            defaults.key == nil, defaults.output == nil
        else {
            throw .usage("-i and the body, the key or the output of one request cannot be used together.")
        }
        self.defaults = defaults
        terms = try SendTerms(defaults, environment)
        stream = try ListStream(path, environment)
    }

    /// Warnings for the user that are about all requests.
    package var warnings: [String] { terms.warnings }

    /// Reads the whole list.
    ///
    /// - Returns: the number of requests in it.
    /// - Throws: ``CommandFailure`` for the lines that are wrong, with the status of the first.
    package func check() throws(CommandFailure) -> Int {
        var count = 0
        var flaws = InputFlaws.ofSending
        while !flaws.isFull, let text = try nextText() {
            do throws(CommandFailure) {
                // What is only checked needs no name.
                _ = try plan(of: text) { .none }
                count += 1
            } catch {
                flaws.add(error, line: line)
            }
        }
        if let failure = flaws.failure { throw failure }
        try stream.rewind()
        (buffer, hasEnded, line) = ([], false, 0)
        return count
    }

    /// The next request; `nil` at the end.
    ///
    /// - Throws: ``CommandFailure`` with status 64 for a line that is wrong, and 15 when the list cannot be read any more.
    package func next() throws(CommandFailure) -> RequestPlan? {
        guard let text = try nextText() else { return nil }
        return try plan(of: text) { TransferUUID() }
    }

    /// The request of the line that was read last.
    ///
    /// - Parameter name: names a request whose line gives no UUID.
    private func plan(
        of text: ArraySlice<UInt8>,
        _ name: () -> TransferUUID
    ) throws(CommandFailure) -> RequestPlan {
        let place = "\(stream.name), line \(line)"
        do throws(CommandFailure) {
            let request = try RequestLine(text, defaults)
            var plan = try RequestPlan(
                request.input,
                uuid: request.uuid ?? name(),
                terms: terms
            )
            plan.place = place
            return plan
        } catch {
            throw error.located(at: place)
        }
    }

    /// The next line that is not blank; `nil` at the end.
    private func nextText() throws(CommandFailure) -> ArraySlice<UInt8>? {
        while let text = try nextLine() {
            if !text.allSatisfy({ [0x20, 0x09, 0x0D].contains($0) }) { return text }
        }
        return nil
    }

    private func nextLine() throws(CommandFailure) -> ArraySlice<UInt8>? {
        var searched = buffer.startIndex
        while true {
            if let end = buffer[searched...].firstIndex(of: 0x0A) {
                defer { buffer = buffer[(end + 1)...] }
                line += 1
                return buffer[..<end]
            }
            guard !hasEnded else {
                guard !buffer.isEmpty else { return nil }
                defer { buffer = [] }
                line += 1
                return buffer
            }
            guard buffer.count <= Self.longestLine else {
                throw .usage(
                    "\(stream.name), line \(line + 1): The line is longer than \(ByteCount(Int64(Self.longestLine)).formatted).",
                    hint: "Write each request on a line of its own. \"file\" names a file with a longer body."
                )
            }
            let part = try stream.next()
            hasEnded = part.isEmpty
            searched = buffer.count
            buffer = ArraySlice(Array(buffer) + part)
        }
    }
}

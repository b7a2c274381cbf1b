import FerryCore
import HTTPTypes

extension InputProperty {
    /// For any fields of a response, bytes are only taken if its `Content-Range` and the request agree on
    /// their place (I5), and no wait exceeds the bound.
    ///
    /// The first line is the status, a space and the length of the body; each further line is a field.
    package static let response = InputProperty("response") { input in
        let (head, tail) = input.headAndTail
        let numbers = head.split(separator: " ").map { Int64($0) }
        var fields = HTTPFields()
        for line in tail.lines.prefix(200) {
            do throws(HeaderLine.ParseError) {
                let line = try HeaderLine(parsing: line)
                fields.append(HTTPField(name: line.name, value: line.value))
            } catch {
                continue
            }
        }
        let status = Int(numbers.first.flatMap { $0 } ?? 200)
        let length = numbers.count > 1 ? numbers[1] : nil
        let now = Instant(seconds: 1_700_000_000)
        let facts = ResponseFacts(ResponseHead(status: status, headers: fields, bodyLength: length), at: now)
        try require(facts.bodyLength.map { $0 >= 0 } ?? true, "a length is never negative")
        if let wait = facts.retryAfter {
            try require(wait >= .zero && wait <= RetryAfter.longest, "a wait is within its bounds")
        }
        if facts.contentCoding != nil {
            try require(fields[values: .contentEncoding].count > 0, "a coding was said")
        }
        if case .unsupported(let coding) = ContentForm(facts, names: [facts.disposition?.filename ?? "f.gz"])
        {
            let url = try HTTPURL(parsing: "https://h.example/f")
            let message = ContentForm.problem(of: coding, from: url).failure.message
            try require(
                !message.utf8.contains { $0 < 0x20 } && message.utf8.count < 200,
                "a message is one line"
            )
        }
        if case .present = facts.contentRange {
            try require(fields[values: .contentRange].count == 1, "of two ranges neither counts")
        }
        if let name = facts.disposition?.filename.flatMap({ FileName.sanitized($0) }) {
            try requireSafe(name)
        }
        try require(!facts.validator.contradicts(facts.validator), "a response agrees with itself")
        for tag in [EntityTag("\"a\""), nil] { try requirePlaced(facts, whenKnown: tag) }
    }

    /// Throws unless only a 206 that begins at the requested offset adds bytes to existing ones.
    private static func requirePlaced(_ facts: ResponseFacts, whenKnown tag: EntityTag?) throws {
        var known = DownloadProgress()
        guard known.segments.fix(length: 1000) else { return }
        known.segments.advance(0, writtenTo: 500)
        known.validator = Validator(entityTag: tag, lastModified: nil, date: nil, receivedAt: .epoch)
        let specification = DownloadSpecification(
            url: try HTTPURL(parsing: "https://h.example/"),
            destination: .file(directory: "/d", name: nil)
        )
        let segment = known.segments.segments[0]
        let request = RangeRequest.resuming(segment, of: known, server: ServerTraits(), strict: false)
        let verdict = ResponseJudge(known: known, specification: specification)
            .judge(facts, to: request, segment: segment)
        switch verdict {
        case .begin:
            throw Violation(description: "bytes that are there are not forgotten in silence")
        case .proceed, .compare:
            try require(facts.status == 206, "only a part is added to what is there")
            guard case .present(.bytes(let range, let total)) = facts.contentRange else {
                throw Violation(description: "only a part that says where it belongs is added")
            }
            try require(range.lowerBound == request.from, "and only where it belongs")
            try require(total == nil || total == 1000, "to a resource of the same length")
            try require(
                tag == nil || facts.validator.entityTag.map { $0 == tag } ?? true,
                "of the same version"
            )
        case .startOver, .askAgain, .complete, .refuse:
            break
        }
    }
}

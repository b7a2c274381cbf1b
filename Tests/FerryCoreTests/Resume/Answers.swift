import FerryCore
import HTTPTypes

/// Short ways to write down what is known, what was asked and what was answered.
enum Answers {
    static let now = Instant(seconds: 1_700_000_000)
    static let url: HTTPURL = {
        do {
            return try HTTPURL(parsing: "https://files.example/data.bin")
        } catch {
            preconditionFailure("\(error)")
        }
    }()
    static let dateText = "Tue, 14 Nov 2023 10:00:00 GMT"
    static let responseDate = "Tue, 14 Nov 2023 22:13:20 GMT"

    /// A progress that has `received` bytes of the resource which these fields describe.
    static func known(
        _ fields: [(HTTPField.Name, String)],
        received: Int64 = 100_000,
        of length: Int64? = 200_000,
        type: String? = "application/zip"
    ) -> DownloadProgress {
        var progress = DownloadProgress()
        progress.segments = SegmentMap(length: length)
        progress.segments.advance(0, writtenTo: received)
        progress.validator = Validator(httpFields(fields), receivedAt: now)
        progress.mediaType = type.flatMap { MediaType($0) }
        return progress
    }

    static func answer(
        _ status: Int,
        _ fields: [(HTTPField.Name, String)] = [],
        length: Int64? = nil,
        range: String? = nil,
        type: String? = "application/zip"
    ) -> ResponseFacts {
        var headers = httpFields(fields)
        if let range { headers[.contentRange] = range }
        if let type { headers[.contentType] = type }
        return ResponseFacts(ResponseHead(status: status, headers: headers, bodyLength: length), at: now)
    }

    /// The right answer to a request for the rest.
    static func rest(
        _ fields: [(HTTPField.Name, String)] = [],
        from: Int64 = 100_000,
        total: String = "200000"
    ) -> ResponseFacts {
        answer(206, fields, length: 200_000 - from, range: "bytes \(from)-199999/\(total)")
    }

    static func httpFields(_ fields: [(HTTPField.Name, String)]) -> HTTPFields {
        var headers = HTTPFields()
        for (name, value) in fields { headers.append(HTTPField(name: name, value: value)) }
        return headers
    }

    static func judge(
        _ response: ResponseFacts,
        _ known: DownloadProgress,
        policy: ChangePolicy = .automatic,
        strict: Bool = false,
        server: ServerTraits = ServerTraits(),
        hasChanged: Bool = false,
        asking request: RangeRequest? = nil
    ) -> Verdict {
        var options = DownloadOptions()
        options.onChange = policy
        options.strictResume = strict
        let segment = known.segments.segments[0]
        let asked = request ?? .resuming(segment, of: known, server: server, strict: strict)
        return Verdict(
            ResponseJudge(
                known: known,
                specification: specification(options),
                hasChanged: hasChanged
            ).judge(
                response,
                to: asked,
                segment: segment
            )
        )
    }

    static func specification(_ options: DownloadOptions) -> DownloadSpecification {
        DownloadSpecification(url: url, destination: .file(directory: "/", name: nil), options: options)
    }

    /// The verdict without the texts, which are for people.
    enum Verdict: Hashable {
        case begin, complete
        case proceed(ResponseVerdict.Reason)
        case compare(Int64)
        case startOver(ResponseVerdict.Reason)
        case askAgain(RangeRequest, finding: ResponseVerdict.Finding? = nil)
        case transient(TransferFailure.Code)
        case permanent(TransferFailure.Code)
        case waits(WaitCondition)

        init(_ verdict: ResponseVerdict) {
            self =
                switch verdict {
                case .begin: .begin
                case .complete: .complete
                case .proceed(let reason): .proceed(reason)
                case .compare(let overlap): .compare(overlap)
                case .startOver(let reason): .startOver(reason)
                case .askAgain(let request, let finding): .askAgain(request, finding: finding)
                case .refuse(let problem):
                    switch problem.disposition {
                    case .transient: .transient(problem.failure.code)
                    case .permanent: .permanent(problem.failure.code)
                    case .condition(let condition): .waits(condition)
                    }
                }
        }

        static let askForAll = Verdict.askAgain(.whole)
        static let askForAllThatChanged = Verdict.askAgain(.whole, finding: .otherVersion)
    }
}

extension ResponseFacts {
    /// The facts of an answer that came at the epoch, with the entity tag `"v1"` by default.
    init(_ status: Int, _ fields: HTTPFields = [:], tag: String = "\"v1\"", length: Int64?) {
        var fields = fields
        fields[.eTag] = tag
        self.init(ResponseHead(status: status, headers: fields, bodyLength: length), at: .epoch)
    }
}

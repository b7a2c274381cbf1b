package import FerryCore
import HTTPTypes

/// What follows from the answer of an object store to a signed request.
package enum ObjectStoreTurn: Hashable, Sendable {
    /// It is judged as any other answer.
    case pass
    /// The request is signed for this region, and sent again.
    case move(region: String)
    /// The request is signed by a clock that is ahead of this machine's by this much, and sent again.
    case correct(clock: Duration)
    /// The request is signed with fresh credentials, and sent again.
    case renew
    /// The request has failed.
    case fail(Problem)

    /// How much of the body of such an answer is read, in bytes.
    package static let longestBody = 64 << 10

    /// Whether the body of an answer with this status must be read to know what it means.
    package static func concerns(_ status: Int) -> Bool {
        switch status {
        // Conditions and ranges are judged by those who asked for them.
        case 304, 412, 416: false
        default: status >= 300
        }
    }

    /// Judges an answer.
    ///
    /// - Parameters:
    ///   - region: the region that the request was signed for.
    ///   - isOwnServer: whether the server was found by the region, and not given.
    ///   - now: the moment at which the answer came, by the clock of this machine.
    package init(
        _ answer: UploadAnswer,
        from store: ObjectStore,
        region: String?,
        isOwnServer: Bool,
        at now: Instant
    ) {
        let error = ObjectStoreError(answer)
        if let other = Self.region(answer, error, of: store, isOwnServer: isOwnServer), other != region {
            self = .move(region: other)
            return
        }
        guard let error else {
            self = .pass
            return
        }
        switch error.code {
        case "ExpiredToken", "RequestExpired", "TokenRefreshRequired", "SecurityTokenExpired":
            self = .renew
        case "AccessDenied" where error.isOfTime: self = .renew
        case "RequestTimeTooSkewed":
            let date = answer.fields[.date].flatMap { Instant(httpDate: $0, now: now) }
            guard let date else { self = .fail(error.problem(in: answer, at: now)); return }
            self = .correct(clock: now.duration(to: date))
        default:
            guard case .problem(_, let isTransient, _, _)? = error.meaning,
                !isTransient || !(500...599).contains(answer.status)
            else {
                self = .pass
                return
            }
            self = .fail(error.problem(in: answer, at: now))
        }
    }

    /// The region of the bucket, if the answer tells it.
    private static func region(
        _ answer: UploadAnswer,
        _ error: ObjectStoreError?,
        of store: ObjectStore,
        isOwnServer: Bool
    ) -> String? {
        let told = answer.fields[bucketRegion] ?? error?.region
        switch (store, answer.status) {
        case (.s3, 301), (.s3, 307), (.s3, 400), (.s3, 403): return told
        // OSS names the server of the bucket.
        case (.oss, 301), (.oss, 307), (.oss, 403):
            guard isOwnServer, let label = error?.endpoint?.split(separator: ".").first,
                label.hasPrefix("oss-")
            else { return nil }
            return String(label.dropFirst("oss-".count))
        default: return nil
        }
    }

    private static let bucketRegion = HTTPField.Name("x-amz-bucket-region")!
}

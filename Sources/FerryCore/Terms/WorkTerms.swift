/// The terms on which any work is tried.
package struct WorkTerms: Hashable, Sendable, Codable {
    /// How often to try again after a failure; 0 tries once only.
    package var retries = 19
    /// How fast this transfer may be, beside what limits all of them together.
    package var rateLimit = RateLimit.off
    /// When it may run.
    package var window = TimeWindow.always

    /// Terms with every default.
    package init() {}

    private enum CodingKeys: String, CodingKey {
        case retries
        case rateLimit = "rate"
        case window = "timeWindow"
    }

    /// Reads terms; what is not there has its default.
    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        retries = try fields.value(of: .retries) ?? retries
        rateLimit = try fields.value(of: .rateLimit) ?? rateLimit
        window = try fields.value(of: .window) ?? window
    }
}

extension DownloadOptions {
    /// The part of them that any work has.
    package var terms: WorkTerms {
        get {
            var terms = WorkTerms()
            terms.retries = retries
            terms.rateLimit = rateLimit
            terms.window = window
            return terms
        }
        set {
            retries = newValue.retries
            rateLimit = newValue.rateLimit
            window = newValue.window
        }
    }
}

/// The terms for any kind of work.
package struct WorkTerms: Hashable, Sendable, Codable {
    /// Maximum number of retries after failures; 0 tries once.
    package var retries = 19
    /// Maximum speed of this transfer, in addition to the limit on all transfers together.
    package var rateLimit = RateLimit.off
    /// When it may run.
    package var window = TimeWindow.always
    /// Whether it may run while its application is in the background.
    package var runsInBackground = true
    /// After this moment no attempt begins; `nil` for no deadline.
    package var notAfter: Instant?

    /// Terms with every default.
    package init() {}

    /// Reads terms. A missing field has its default.
    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        retries = try fields.value(of: .retries) ?? retries
        rateLimit = try fields.value(of: .rateLimit) ?? rateLimit
        window = try fields.value(of: .window) ?? window
        runsInBackground = try fields.value(of: .runsInBackground) ?? runsInBackground
        notAfter = try fields.value(of: .notAfter)
    }
}

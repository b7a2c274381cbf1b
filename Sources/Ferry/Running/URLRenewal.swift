import FerryCore
import Logging

/// Asks the application for a fresh URL before the one in use expires, so that the requests to come are not refused.
///
/// When there is none in time, the attempt continues with what it has, and a refusal makes the transfer wait as usual.
struct URLRenewal: Sendable {
    /// The function of the application.
    let refresh: @Sendable (TransferID, HTTPURL) async throws -> HTTPURL
    let transfer: TransferID
    let clock: any WallClock
    let logger: Logger

    /// The time before the expiry at which a fresh URL is asked for.
    static let lead: Duration = .seconds(120)
    /// The longest sleep: the clock may be set, and a suspended machine does not count its sleep.
    private static let longestSleep: Duration = .seconds(60)

    /// Whether the URL has expired, so that a request with it would be in vain.
    func hasExpired(_ url: HTTPURL) -> Bool { url.expiry.map { $0 <= clock.now } ?? false }

    /// Asks once, now; `nil` without a URL that lasts longer than this one.
    func fresh(insteadOf url: HTTPURL) async -> HTTPURL? {
        switch await ApplicationAnswer.of({ try await refresh(transfer, url) }, by: clock) {
        case .value(let fresh):
            return (fresh.expiry ?? .distantFuture) > (url.expiry ?? .distantFuture) ? fresh : nil
        case .nothing(let reason):
            guard !Task.isCancelled else { return nil }
            logger.warning(
                "No fresh URL was given before the expiry.",
                metadata: ["transfer": "\(transfer)", "error": "\(reason)"]
            )
            return nil
        }
    }

    /// Asks ahead of each expiry, until there is no fresh URL or the task is cancelled.
    func run(from url: HTTPURL, _ use: @Sendable (HTTPURL) -> Void) async {
        var url = url
        while let expiry = url.expiry {
            let rest = clock.now.duration(to: expiry.advanced(by: .zero - Self.lead))
            if rest > .zero {
                guard await clock.hasSlept(for: min(rest, Self.longestSleep)) else { return }
                continue
            }
            guard let fresh = await fresh(insteadOf: url) else { return }
            use(fresh)
            url = fresh
        }
    }
}

extension Instant {
    /// Later than any expiry.
    fileprivate static let distantFuture = Instant(milliseconds: .max)
}

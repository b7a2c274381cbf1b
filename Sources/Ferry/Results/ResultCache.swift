import FerryCore
import HTTPTypes
import Synchronization

/// The small results that were wanted last, with the validators that tell whether they still hold.
///
/// It never holds more bytes than it may (I9); what was not wanted for longest goes first.
final class ResultCache: Sendable {
    /// What was asked for, and how.
    struct Request: Hashable, Sendable {
        var url: HTTPURL
        var options: DownloadOptions
    }

    /// What came.
    struct Result: Sendable {
        var bytes: [UInt8]
        /// The URL that gave it, after all redirects.
        var source: HTTPURL
        /// What makes a server send it only when it has another version.
        var conditions: HTTPFields
    }

    private struct State {
        var results: [Request: (result: Result, wanted: Int)] = [:]
        var size = 0
        var latest = 0

        mutating func drop(_ request: ResultCache.Request) {
            guard let dropped = results.removeValue(forKey: request) else { return }
            size -= dropped.result.cost
        }
    }

    /// What a result costs beside its bytes, so that a great many small ones are bounded as well.
    static let overhead = 2048

    private let capacity: Int
    private let state = Mutex(State())

    init(capacity: Int) {
        self.capacity = capacity
    }

    /// What is kept for a request.
    func result(of request: Request) -> Result? {
        state.withLock { state in
            state.latest += 1
            state.results[request]?.wanted = state.latest
            return state.results[request]?.result
        }
    }

    /// Keeps a result in place of the one before it; `nil` only drops that.
    func keep(_ result: Result?, for request: Request) {
        state.withLock { state in
            state.drop(request)
            guard let result, result.cost <= capacity else { return }
            while state.size + result.cost > capacity,
                let oldest = state.results.min(by: { $0.value.wanted < $1.value.wanted })?.key
            {
                state.drop(oldest)
            }
            state.latest += 1
            state.results[request] = (result, state.latest)
            state.size += result.cost
        }
    }
}

extension ResultCache.Result {
    fileprivate var cost: Int { bytes.count + ResultCache.overhead }

    /// What of an answer can be kept; `nil` when the server wants none of it kept, or gives nothing by which its versions
    /// can be told apart.
    init?(_ bytes: [UInt8], _ head: ResponseHead, from source: HTTPURL, at now: Instant) {
        let control = head.headers[values: .cacheControl].joined(separator: ",").lowercased()
        let varies = head.headers[values: .vary].contains { $0.contains("*") }
        guard !control.contains("no-store"), !varies else { return nil }
        let validator = Validator(head.headers, receivedAt: now)
        if let tag = head.headers[.eTag], validator.entityTag != nil {
            conditions = [.ifNoneMatch: tag]
        } else if let date = validator.lastModified, validator.lastModifiedIsStrong {
            conditions = [.ifModifiedSince: date]
        } else {
            return nil
        }
        self.bytes = bytes
        self.source = source
    }
}

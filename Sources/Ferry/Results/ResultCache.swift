import FerryCore
import HTTPTypes
import Synchronization

/// The most recently requested small results, with the validators that tell whether they are current.
///
/// It never holds more bytes than its capacity (I9); the least recently requested result is dropped first.
final class ResultCache: Sendable {
    /// The URL and options of a request.
    struct Request: Hashable, Sendable {
        var url: HTTPURL
        var options: DownloadOptions
    }

    /// A kept result.
    struct Result: Sendable {
        var bytes: [UInt8]
        /// The URL that gave it, after all redirects.
        var source: HTTPURL
        /// Conditions that make a server send the result only if its version has changed.
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

    /// Cost of a result in bytes beside its body, so that very many small ones are bounded too.
    static let overhead = 2048

    private let capacity: Int
    private let state = Mutex(State())

    init(capacity: Int) {
        self.capacity = capacity
    }

    /// The result kept for a request.
    func result(of request: Request) -> Result? {
        state.withLock { state in
            state.latest += 1
            state.results[request]?.wanted = state.latest
            return state.results[request]?.result
        }
    }

    /// Replaces the result kept for a request; `nil` only drops it.
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

    /// The part of an answer that can be kept; `nil` when the server forbids keeping it, or sends no validator that
    /// tells its versions apart.
    init?(_ bytes: [UInt8], _ head: ResponseHead, from source: HTTPURL, at now: Instant) {
        let control = head.headers[values: .cacheControl].joined(separator: ",").lowercased()
        let varies = head.headers[values: .vary].contains { $0.contains("*") }
        guard !Array(control.utf8).contains(octets: Array("no-store".utf8)), !varies else { return nil }
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

public import FerryCore
import HTTPTypes
import Synchronization

/// The cookies that the requests of an engine share (RFC 6265). They are in memory only, until you save ``text(at:)``.
///
/// A request gets the cookies that are for its URL, wherever redirects lead. What servers set is kept: up to 3,000 cookies, 50 of
/// one domain, each up to 4,096 bytes long. Several engines may share one session.
public final class SessionCookies: Sendable {
    private let jar: Mutex<CookieJar>
    /// Whether it began with a file of cookies. The cookies that transfers were given from that file are then in it too.
    let isLoaded: Bool

    /// A session without cookies.
    public init() {
        jar = Mutex(CookieJar())
        isLoaded = false
    }

    /// A session that begins with the cookies of a file.
    package init(_ jar: CookieJar) {
        self.jar = Mutex(jar)
        isLoaded = true
    }

    /// A session that begins with the text of a file of cookies in Netscape's format, as browsers' add-ons, curl, wget and
    /// ``text(at:)`` write it.
    ///
    /// - Throws: ``ParseError`` for the first line that is neither a cookie, nor empty, nor a comment.
    public convenience init(parsing text: String) throws(ParseError) {
        let jar: CookieJar
        do throws(CookieJar.ParseError) {
            jar = try CookieJar(parsing: text)
        } catch {
            throw ParseError(line: error.line)
        }
        self.init(jar)
    }

    /// A line of a file of cookies is no cookie.
    public struct ParseError: Error, Hashable, Sendable, CustomStringConvertible {
        /// The line, counted from 1.
        public let line: Int

        /// The line and what it should be, in one sentence for a person. The line itself may be a secret.
        public var description: String { CookieJar.ParseError(line: line).description }
    }

    /// A session that begins with the cookies of a `Cookie` field.
    init(_ field: String, for url: HTTPURL, at now: Instant) {
        var jar = CookieJar()
        jar.keep(field, for: url, at: now)
        self.jar = Mutex(jar)
        isLoaded = true
    }

    /// The cookies that have not expired at a moment, as the text of a file in Netscape's format. The values are secrets: only the
    /// owner should be able to read the file.
    public func text(at now: Instant) -> String {
        jar.withLock { $0.text(at: now) }
    }

    /// The value of the `Cookie` field of a request; `nil` if it gets no cookie.
    func field(for url: HTTPURL, at now: Instant) -> String? {
        jar.withLock { $0.field(for: url, at: now) }
    }

    /// Keeps what an answer of `url` sets.
    ///
    /// - Returns: whether any request gets other cookies now.
    func take(_ head: ResponseHead, from url: HTTPURL, at now: Instant) -> Bool {
        let fields = head.headers[values: .setCookie]
        guard !fields.isEmpty else { return false }
        return jar.withLock { $0.store(fields, from: url, at: now) }
    }
}

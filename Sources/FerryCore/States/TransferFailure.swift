/// Why a transfer failed, or why its latest attempt did.
///
/// The `code` is stable and may be matched on; the texts are for people and may change. No text ever
/// carries a secret (I7): URLs in it are redacted where it is made.
public struct TransferFailure: Error, Hashable, Sendable, Codable {
    /// What went wrong; the stable part.
    public var code: Code
    /// What happened, in one sentence for a person.
    public var message: String
    /// What to do next with the `ferry` tool, when there is something to do. `{id}` in it stands for the transfer's number until
    /// ``naming(_:)`` has filled it in.
    public var hint: String?
    /// The failure behind this one, such as the last attempt's when attempts ran out.
    public var cause: Code?

    /// Creates a failure.
    public init(_ code: Code, _ message: String, hint: String? = nil, cause: Code? = nil) {
        self.code = code
        self.message = message
        self.hint = hint
        self.cause = cause
    }

    /// This failure with the transfer's number in its hint.
    public func naming(_ id: TransferID) -> TransferFailure {
        var named = self
        named.hint = hint.map {
            $0.split(separator: "{id}", omittingEmptySubsequences: false).joined(separator: "\(id)")
        }
        return named
    }

    /// The stable codes of failures.
    public enum Code: String, Hashable, Sendable, Codable, CaseIterable {
        /// Every allowed attempt failed; `cause` tells how the last one did.
        case attemptsExhausted
        /// 404: the server has no such resource.
        case notFound
        /// 410: the resource is gone for good.
        case gone
        /// 401 or 407: credentials are missing or wrong.
        case notAuthorised
        /// 403: the credentials do not reach this resource.
        case forbidden
        /// A signed URL that used to work is refused now.
        case urlExpired
        /// Any other final answer that is no success.
        case refused
        /// An answer that breaks HTTP's rules or contradicts itself.
        case badResponse
        /// 429 or 503: the server asks for patience.
        case serverOverloaded
        /// Any other 5xx.
        case serverError
        /// More redirects than allowed, or a loop of them.
        case tooManyRedirects
        /// A redirect that must not be followed: to another scheme, or from https to http.
        case redirectRefused
        /// What answers now is not a new version of the resource but something else, such as a login page.
        case resourceReplaced
        /// The resource changed and the transfer was told not to start over.
        case resourceChanged
        /// The server cannot continue, and the transfer was told not to start over.
        case cannotResume
        /// The finished bytes do not have the expected digest.
        case checksumMismatch
        /// The host's name does not resolve.
        case nameNotResolved
        /// Nobody accepts connections at that address.
        case connectionRefused
        /// The connection broke, or the body ended early.
        case connectionLost
        /// No route to the host.
        case networkUnreachable
        /// Nothing came within the allowed time.
        case timeout
        /// The bytes came more slowly than allowed.
        case tooSlow
        /// The TLS handshake failed; the certificate may not be trusted.
        case tlsFailed
        /// The proxy refused or failed.
        case proxyFailed
        /// A file with the final name is there already.
        case destinationExists
        /// The destination cannot be used: a directory, a symlink, not writable, not there.
        case cannotCreate
        /// The finished file is whole, and the path of its directory leads to another directory by now.
        case destinationMoved
        /// A file that Ferry needs cannot be opened.
        case cannotOpen
        /// The file system is full, or the quota is used up.
        case diskFull
        /// The disk failed to read, write or sync.
        case storageFault
        /// The part file is not the one that this transfer wrote.
        case partFileLost
        /// A transfer that this one depends on did not complete.
        case dependencyFailed
        /// A transfer that stood before this one in a strict queue has failed.
        case headFailed
        /// It is unknown whether a request arrived, and it must not be repeated by itself.
        case outcomeUnknown
        /// The process that received the stream is gone.
        case streamLost
        /// Somebody stopped a download to a stream, of which nothing can be kept.
        case streamStopped
        /// It was cancelled because its queue was full, and a newer transfer went before it.
        case gaveWay
        /// A defect in Ferry: an invariant did not hold.
        case internalFault
    }
}

extension TransferFailure: CustomStringConvertible {
    /// What happened. What to do next is in ``hint``, in the words of the tool.
    public var description: String { message }
}

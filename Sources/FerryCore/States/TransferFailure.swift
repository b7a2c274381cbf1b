/// Why a transfer failed, or why its latest attempt did.
///
/// The `code` is stable and may be matched on. The message is for people and may change. It contains no secret (I7):
/// URLs are redacted when it is made.
public struct TransferFailure: Error, Hashable, Sendable, Codable {
    /// What went wrong; the stable part.
    public var code: Code
    /// What happened, in one sentence for a person.
    public var message: String
    /// The steps that resolve it, as far as they are known; the first is taken first.
    public var remedies: [Remedy]
    /// The failure behind this one, such as that of the last attempt when attempts ran out.
    public var cause: Code?
    /// The status of the answer with which a server caused the failure (RFC 9110 §15); `nil` for a failure that no
    /// status caused.
    public var status: Int?

    /// Creates a failure.
    public init(_ code: Code, _ message: String, remedies: [Remedy] = [], cause: Code? = nil) {
        self.code = code
        self.message = message
        self.remedies = remedies
        self.cause = cause
    }

    private enum CodingKeys: String, CodingKey {
        case code, message, remedies, cause, status
    }

    /// The stable codes of failures.
    public enum Code: String, Hashable, Sendable, Codable, CaseIterable {
        /// Every allowed attempt failed; `cause` is the code of the last one.
        case attemptsExhausted
        /// 404: the server has no such resource.
        case notFound
        /// 410: the resource is gone for good.
        case gone
        /// 401 or 407: credentials are missing or wrong.
        case notAuthorised
        /// 403: the credentials give no access to this resource.
        case forbidden
        /// A signed URL that used to work is refused now.
        case urlExpired
        /// Any other final answer that is not a success.
        case refused
        /// An answer that breaks HTTP's rules or contradicts itself.
        case badResponse
        /// 429 Too Many Requests or 503 Service Unavailable.
        case serverOverloaded
        /// Any other 5xx.
        case serverError
        /// More redirects than allowed, or a loop of them.
        case tooManyRedirects
        /// A redirect that must not be followed: to another scheme, or from https to http.
        case redirectRefused
        /// The answer is not a new version of the resource but something else, such as a login page.
        case resourceReplaced
        /// The resource changed, and the options forbid starting over.
        case resourceChanged
        /// The server cannot resume, and the options forbid starting over.
        case cannotResume
        /// The finished bytes do not have the expected digest.
        case checksumMismatch
        /// The file is longer than the options allow (``DownloadOptions/maximumLength``).
        case tooLong
        /// The host's name does not resolve.
        case nameNotResolved
        /// No server accepts connections at that address.
        case connectionRefused
        /// The connection broke, or the body ended early.
        case connectionLost
        /// No route to the host.
        case networkUnreachable
        /// No bytes arrived within the allowed time.
        case timeout
        /// The bytes arrived more slowly than allowed.
        case tooSlow
        /// The TLS handshake failed; the certificate may not be trusted.
        case tlsFailed
        /// The proxy refused or failed.
        case proxyFailed
        /// A file with the final name already exists.
        case destinationExists
        /// The destination cannot be used: it is a directory or a symlink, is not writable, or does not exist.
        case cannotCreate
        /// The finished file is whole, but the path of its directory now leads to another directory.
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
        /// A transfer before this one in a strict queue has failed.
        case headFailed
        /// It is unknown whether a request arrived, and it must not be repeated automatically.
        case outcomeUnknown
        /// A request took effect, but its whole response could not be kept, and it must not be repeated automatically.
        /// `cause` is the code of what prevented that.
        case responseLost
        /// Its deadline passed before it was completed, and no attempt begins any more.
        case deadlinePassed
        /// The file that was to be sent was changed meanwhile.
        case bodyChanged
        /// A value of an earlier response is missing, or cannot be used. Nothing was sent.
        case valueMissing
        /// The process that received the stream is gone.
        case streamLost
        /// A download to a stream was stopped. None of it can be kept.
        case streamStopped
        /// It was cancelled because its queue was full and a newer transfer replaced it.
        case gaveWay
        /// A defect in Ferry: an invariant did not hold.
        case internalFault
    }
}

extension TransferFailure: CustomStringConvertible {
    /// What happened. The next steps are in ``remedies``.
    public var description: String { message }
}

// MARK: Reading

extension TransferFailure {
    /// Reads a stored failure. Remedies that only a newer Ferry knows are left out: they are advice, so a row is not
    /// refused because of them.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        code = try values.decode(Code.self, forKey: .code)
        message = try values.decode(String.self, forKey: .message)
        cause = try values.decodeIfPresent(Code.self, forKey: .cause)
        status = try values.decodeIfPresent(Int.self, forKey: .status)
        do {
            let stored = try values.decodeIfPresent([StoredRemedy].self, forKey: .remedies)
            remedies = stored?.compactMap(\.remedy) ?? []
        } catch {
            remedies = []
        }
    }

    /// One remedy as it was stored; `nil` if it is unknown.
    private struct StoredRemedy: Decodable {
        let remedy: Remedy?

        init(from decoder: any Decoder) {
            do {
                remedy = try Remedy(from: decoder)
            } catch {
                remedy = nil
            }
        }
    }
}

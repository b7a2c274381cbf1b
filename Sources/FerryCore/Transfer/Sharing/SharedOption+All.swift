/// The table of options. A test walks all pairs, and fails for a field that is in no row.
extension SharedOption {
    package static let all: [SharedOption] = content + demands + identities + preferences

    private static let content = [
        SharedOption(
            "expected content",
            .content,
            ["checksum", "length", "pieces"],
            refusal: { _ in "without the digest or length given now" },
            copy: { ($1.checksum, $1.length, $1.pieces) = ($0.checksum, $0.length, $0.pieces) },
            compare: contentDifference
        )
    ]

    private static let demands = [
        SharedOption(
            "trusted certificates",
            .demand,
            ["connection.trustsAnyCertificate", "connection.certificateAuthorityFile"],
            refusal: {
                $0.connection.trustsAnyCertificate
                    ? "without verifying the server's certificate"
                    : "with trusted certificates other than those given now"
            },
            permission: .anyCertificate,
            copy: {
                $1.connection.trustsAnyCertificate = $0.connection.trustsAnyCertificate
                $1.connection.certificateAuthorityFile = $0.connection.certificateAuthorityFile
            },
            compare: { asked, had in
                let (asked, had) = (asked.connection, had.connection)
                guard asked.trustsAnyCertificate == had.trustsAnyCertificate else {
                    // A caller that accepts any certificate also accepts those that others trust.
                    return permission(asked.trustsAnyCertificate, had: had.trustsAnyCertificate)
                }
                let isSame = asked.certificateAuthorityFile == had.certificateAuthorityFile
                return isSame ? .same : asked.trustsAnyCertificate ? .looser : .other
            },
            doubts: { progress, _ in progress.trail.contains(.encrypted) }
        ),
        SharedOption(
            "downgrade",
            .demand,
            ["allowsDowngrade"],
            refusal: { _ in "with redirects from https to http allowed" },
            permission: .downgrade,
            copy: { $1.allowsDowngrade = $0.allowsDowngrade },
            compare: { permission($0.allowsDowngrade, had: $1.allowsDowngrade) },
            doubts: { progress, _ in progress.trail.contains(.downgraded) }
        ),
        SharedOption(
            "proxy",
            .demand,
            ["connection.proxy", "proxies"],
            refusal: { _ in "through another proxy than the one given now" },
            copy: { ($1.connection.proxy, $1.proxies) = ($0.connection.proxy, $0.proxies) },
            compare: { asked, had in
                let isSame = asked.connection.proxy == had.connection.proxy && asked.proxies == had.proxies
                if isSame { return .same }
                // A caller that names no proxy accepts any.
                if asked.connection.proxy == nil, asked.proxies == nil { return .looser }
                return had.connection.proxy == nil && had.proxies == nil ? .stricter : .other
            }
        ),
        SharedOption(
            "address family",
            .demand,
            ["connection.addressFamily"],
            refusal: { _ in "over another version of IP than the one given now" },
            copy: { $1.connection.addressFamily = $0.connection.addressFamily },
            compare: { difference($0.connection.addressFamily, from: $1.connection.addressFamily) }
        ),
        SharedOption(
            "local address",
            .demand,
            ["connection.localAddress"],
            refusal: { _ in "from another address or interface than the one given now" },
            copy: { $1.connection.localAddress = $0.connection.localAddress },
            compare: { difference($0.connection.localAddress, from: $1.connection.localAddress) }
        ),
        SharedOption(
            "host overrides",
            .demand,
            ["connection.overrides"],
            refusal: { _ in "with addresses of hosts other than those given now" },
            copy: { $1.connection.hostOverrides = $0.connection.hostOverrides },
            // As with proxies, a caller that names no value accepts any.
            compare: { asked, had in
                let (asked, had) = (asked.connection.hostOverrides, had.connection.hostOverrides)
                if asked == had { return .same }
                if asked.isEmpty { return .looser }
                return had.isEmpty ? .stricter : .other
            }
        ),
        SharedOption(
            "server digests",
            .demand,
            ["ignoresServerDigests"],
            refusal: { _ in "without checking digests sent by the server" },
            permission: .noServerDigests,
            copy: { $1.ignoresServerDigests = $0.ignoresServerDigests },
            compare: { permission($0.ignoresServerDigests, had: $1.ignoresServerDigests) }
        ),
        SharedOption(
            "strict resume",
            .demand,
            ["strictResume"],
            refusal: { _ in "without strict resume" },
            copy: { $1.strictResume = $0.strictResume },
            compare: { permission(!$0.strictResume, had: !$1.strictResume) },
            doubts: { progress, _ in progress.assurance == .overlapChecked }
        ),
        SharedOption(
            "strict type",
            .demand,
            ["strictType"],
            refusal: { _ in "without refusing web pages" },
            copy: { $1.refusesPages = $0.refusesPages },
            compare: { permission(!$0.refusesPages, had: !$1.refusesPages) },
            doubts: { progress, _ in
                progress.mediaType?.isHTML == true
                    && progress.name.flatMap { PromisedContent(name: $0) } != nil
            }
        ),
        SharedOption(
            "maximum length",
            .demand,
            ["maximumLength"],
            refusal: { _ in "without the maximum length given now" },
            copy: { $1.maximumLength = $0.maximumLength },
            // A completed file costs nothing more, so a limit casts no doubt on it.
            compare: { asked, had in
                let (asked, had) = (asked.maximumLength ?? .max, had.maximumLength ?? .max)
                return asked == had ? .same : asked > had ? .looser : .stricter
            }
        ),
        SharedOption(
            "mirrors",
            .demand,
            ["mirrors", "ignoresServerMirrors"],
            refusal: { _ in "from mirrors not given now" },
            permission: .mirrors,
            copy: { ($1.mirrors, $1.ignoresServerMirrors) = ($0.mirrors, $0.ignoresServerMirrors) },
            compare: { asked, had in
                let named = permission(!asked.ignoresServerMirrors, had: !had.ignoresServerMirrors)
                let (own, theirs) = (asked.mirrors.map(\.resource), had.mirrors.map(\.resource))
                if own == theirs { return named }
                // A digest proves the bytes of any source, unless other content is asked for.
                let hasDigest = had.checksum != nil || had.pieces != nil
                let isProved = hasDigest && contentDifference(asked, had) != .other
                let given: Difference
                if Set(theirs).isSubset(of: own) || isProved {
                    given = .looser
                } else {
                    given = Set(own).isSubset(of: theirs) ? .stricter : .other
                }
                let both = [named, given]
                return both.contains(.looser) && both.contains(.stricter) ? .other : difference(both)
            },
            doubts: { progress, asked in progress.mirroring.usesMirrors(besides: asked.mirrors) }
        ),
    ]

    private static let identities = [
        SharedOption(
            "credentials",
            .identity,
            ["credentials"],
            refusal: { _ in "with credentials other than those given now" },
            copy: { $1.credentials = $0.credentials },
            compare: { difference($0.credentials, from: $1.credentials) }
        ),
        SharedOption(
            "client certificate",
            .identity,
            ["connection.clientCertificate"],
            refusal: { _ in "with a client certificate other than the one given now" },
            copy: { $1.connection.clientCertificate = $0.connection.clientCertificate },
            compare: { difference($0.connection.clientCertificate, from: $1.connection.clientCertificate) }
        ),
        SharedOption(
            "object store",
            .identity,
            ["store"],
            refusal: { _ in "with a profile, a region or a server other than those given now" },
            copy: { $1.exchange.store = $0.exchange.store },
            compare: { difference($0.exchange.store, from: $1.exchange.store) }
        ),
        SharedOption(
            "range",
            .identity,
            ["range"],
            refusal: { _ in "for another part of the file than the one given now" },
            copy: { $1.range = $0.range },
            compare: { $0.range == $1.range ? .same : .other }
        ),
        SharedOption(
            "recipients",
            .identity,
            ["sealedFor"],
            refusal: { had in
                had.recipients.isEmpty
                    ? "without being sealed" : "sealed for recipients other than those given now"
            },
            copy: { $1.recipients = $0.recipients },
            compare: { $0.recipients == $1.recipients ? .same : .other }
        ),
        SharedOption(
            "headers",
            .identity,
            ["headers", "loadedCookies"],
            refusal: { _ in "with header fields other than those given now" },
            copy: {
                $1.headers = $0.headers
                $1.exchange.hasLoadedCookies = $0.exchange.hasLoadedCookies
            },
            compare: { asked, had in
                if asked.headers == had.headers { return .same }
                if asked.headers.isEmpty { return .looser }
                return had.headers.isEmpty ? .stricter : .other
            }
        ),
    ]

    private static let preferences = [
        lasting("existing file", "existingFile", \.existingFile),
        preference("update", "update") { $1.updates = $0.updates },
        preference("cache", "cache") { asked, had in
            had.cache = asked.cache.map { had.cache?.asked(again: $0) ?? $0 }
        },
        preference("root", "root") { $1.root = $0.root },
        // A command that is repeated while the disk is not mounted does not mean the disk below.
        lasting("mount point", "mountPoint", \.mountPoint),
        preference("listed length", "listedLength") { $1.listedLength = $0.listedLength },
        preference("change policy", "onChange") { $1.onChange = $0.onChange },
        preference("kept mismatch", "keepsMismatch") { $1.keepsMismatch = $0.keepsMismatch },
        preference("server time", "serverTime") { $1.keepsServerTime = $0.keepsServerTime },
        preference("ignored query", "ignoredQuery") { $1.ignoredQuery = $0.ignoredQuery },
        lasting("retries", "retries", \.retries),
        lasting("retried statuses", "retried", \.retriedStatuses),
        lasting("redirect limit", "redirectLimit", \.redirectLimit),
        lasting("connections", "connections", \.connections),
        preference("order", "inOrder") { $1.isInOrder = $0.isInOrder },
        lasting("rate limit", "rateLimit", \.rateLimit),
        lasting("window", "window", \.window),
        // A caller that asks again after the deadline names none.
        preference("deadline", "notAfter") { $1.notAfter = $0.notAfter },
        preference("background", "runsInBackground") { $1.runsInBackground = $0.runsInBackground },
        lasting("connect timeout", "connection.connectTimeout", \.connection.connectTimeout),
        lasting("idle timeout", "connection.idleTimeout", \.connection.idleTimeout),
        lasting("low-speed limit", "connection.lowSpeedLimit", \.connection.lowSpeedLimit),
        lasting("low-speed time", "connection.lowSpeedTime", \.connection.lowSpeedTime),
    ]

    private static func preference(
        _ name: String,
        _ field: String,
        _ copy: @escaping @Sendable (DownloadOptions, inout DownloadOptions) -> Void
    ) -> SharedOption {
        SharedOption(name, .preference, [field], copy: copy)
    }

    /// A preference that stays until another one is named. A new request that has the default does not name it: a
    /// repeated command means the transfer as it was added or edited.
    private static func lasting<Value: Equatable & Sendable>(
        _ name: String,
        _ field: String,
        _ path: any WritableKeyPath<DownloadOptions, Value> & Sendable
    ) -> SharedOption {
        preference(name, field) { asked, had in
            guard asked[keyPath: path] != DownloadOptions()[keyPath: path] else { return }
            had[keyPath: path] = asked[keyPath: path]
        }
    }

    // MARK: Comparing

    /// The difference in a permission.
    private static func permission(_ asked: Bool, had: Bool) -> Difference {
        if asked == had { return .same }
        return asked ? .looser : .stricter
    }

    /// The difference in an optional requirement.
    private static func difference<Value: Equatable>(_ asked: Value?, from had: Value?) -> Difference {
        if asked == had { return .same }
        if asked == nil { return .looser }
        return had == nil ? .stricter : .other
    }

    /// The combined difference of several parts.
    private static func difference(_ parts: [Difference]) -> Difference {
        if parts.contains(.other) { return .other }
        if parts.contains(.stricter) { return .stricter }
        return parts.contains(.looser) ? .looser : .same
    }

    /// The difference in what the file must be.
    private static let contentDifference: @Sendable (DownloadOptions, DownloadOptions) -> Difference = {
        asked,
        had in
        difference([
            difference(asked.checksum, from: had.checksum),
            difference(asked.length, from: had.length),
            difference(asked.pieces, from: had.pieces),
        ])
    }
}

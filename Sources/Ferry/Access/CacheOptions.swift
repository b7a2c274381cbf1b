public import FerryCore

/// How ``CachePool/get(_:key:options:)`` serves a file.
public struct CacheOptions: Hashable, Sendable {
    /// The application's label for what it is, such as "thumbnail".
    public var kind: String?
    /// The mode of a new entry. An entry that is persistent stays so.
    public var mode = CacheMode.cached
    /// How long a new entry, or a new version of one, is fresh.
    public var expiry = CacheExpiry.inherited
    /// Whether it is noted when the server has no such resource (404 or 410). As long as that note is fresh, the server is not
    /// asked again.
    public var cachesAbsence = false
    /// Whether an entry that is no longer fresh is returned at once, while a transfer asks the server for a newer version
    /// (``CacheEntry/revalidation``).
    public var servesStale = false
    /// How to download. A digest or length is also required of a file that is there. Some options do not apply, because
    /// others are served the same file: the rules for existing files, a part instead of the whole, and the permissions to accept
    /// any certificate and to leave https.
    public var download = DownloadOptions()

    /// Options with every default.
    public init() {}
}

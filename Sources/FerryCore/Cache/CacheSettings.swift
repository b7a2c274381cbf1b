/// The settings of a pool, which the store keeps.
public struct CacheSettings: Hashable, Sendable {
    /// The pool's name. It has the form of a queue's name (`TransferQueue.isName`).
    public let pool: String
    /// The absolute path of its directory, without symbolic links; `nil` for `cache/POOL` in the data directory. It should hold
    /// nothing else.
    public var directory: String?
    /// Maximum bytes of its entries that may be evicted; `nil` for no limit. An entry that is larger does not count: it stays until
    /// something is evicted next, and then goes first.
    public var maxBytes: Int64?
    /// Entries that were not used for this long may be evicted; `nil` for no limit.
    public var maxAge: Duration?
    /// How long its entries are served without asking the server, unless they say otherwise; `nil` for always.
    public var freshFor: Duration?

    /// How long entries are fresh in a pool that was never changed: a day.
    public static let usualFreshness: Duration = .seconds(86_400)

    /// The settings of a pool that was never changed.
    public init(_ pool: String) {
        self.pool = pool
        freshFor = Self.usualFreshness
    }

    /// Why the settings of a pool are refused.
    public enum Flaw: Error, Hashable, Sendable {
        /// The name is empty, too long, or has other characters than a queue's name may have.
        case name(String)
        /// The path of the directory is not absolute.
        case directory(String)
        /// The directory cannot change while the pool has entries.
        case hasEntries
        /// The directory is that of another pool, lies in it or contains it; `by` is `nil` for the directory of the pools that have
        /// none of their own.
        case directoryInUse(String, by: String?)
        /// A limit is negative.
        case negative
    }

    /// Whether an entry with this many bytes alone is larger than all entries together may be.
    package func isTooLarge(_ bytes: Int64) -> Bool { maxBytes.map { bytes > $0 } ?? false }

    /// Whether two absolute paths are the same, or one lies below the other.
    package static func overlap(_ one: String, _ other: String) -> Bool {
        // At bytes: a slash and a combining mark behind it are one character.
        let slash = UInt8(ascii: "/")
        return zip(one.utf8.split(separator: slash), other.utf8.split(separator: slash))
            .allSatisfy { $0.elementsEqual($1) }
    }

    /// Checks that the settings make sense.
    ///
    /// - Throws: ``Flaw``.
    package func check() throws(Flaw) {
        guard TransferQueue.isName(pool) else { throw .name(pool) }
        if let directory, !directory.hasPrefix("/") { throw .directory(directory) }
        guard (maxBytes ?? 0) >= 0, (maxAge ?? .zero) >= .zero, (freshFor ?? .zero) >= .zero else {
            throw .negative
        }
    }
}

extension CacheSettings.Flaw: CustomStringConvertible {
    /// What is wrong, in a sentence for a person.
    public var description: String {
        switch self {
        case .name:
            "A pool's name has up to \(TransferQueue.longestName) letters and digits, and '-', '_' or '.' after the first."
        case .directory(let path): "The directory of a pool needs an absolute path, and \(path) is none."
        case .hasEntries: "The directory of a pool can only be changed while the pool has no entries."
        case .directoryInUse(let path, let pool?):
            "\(path) cannot be the directory of a pool: it overlaps with the directory of pool \(pool). Nothing was changed. "
                + "Choose another directory."
        case .directoryInUse(let path, nil):
            "\(path) cannot be the directory of a pool: it overlaps with the directory of the pools that have none of their own. "
                + "Nothing was changed. Choose another directory."
        case .negative: "A limit of a pool cannot be negative."
        }
    }
}

/// A change to the settings of a pool; `nil` leaves a setting as it is.
public struct CacheEdit: Hashable, Sendable {
    /// Another directory, which no other pool has; `.some(nil)` for the usual one. Symbolic links in the path are resolved once.
    public var directory: String??
    /// Another maximum of bytes; `.some(nil)` for no limit.
    public var maxBytes: Int64??
    /// Another maximum age; `.some(nil)` for no limit.
    public var maxAge: Duration??
    /// Another time for which entries are fresh; `.some(nil)` for always.
    public var freshFor: Duration??

    /// An edit that changes nothing yet.
    public init() {}
}

extension CacheSettings {
    /// Returns the settings with an edit applied.
    ///
    /// - Throws: ``Flaw`` when the result makes no sense.
    package func applying(_ edit: CacheEdit) throws(Flaw) -> CacheSettings {
        var settings = self
        if let directory = edit.directory { settings.directory = directory }
        if let maxBytes = edit.maxBytes { settings.maxBytes = maxBytes }
        if let maxAge = edit.maxAge { settings.maxAge = maxAge }
        if let freshFor = edit.freshFor { settings.freshFor = freshFor }
        try settings.check()
        return settings
    }
}

package import Ferry

/// A pool with its size.
package struct PoolSummary: Hashable, Sendable {
    /// Its settings.
    package let settings: CacheSettings
    /// Its size.
    package let size: CacheSize

    package init(settings: CacheSettings, size: CacheSize) {
        (self.settings, self.size) = (settings, size)
    }

    /// All members. The names are a contract that docs/JSON.md documents.
    package var json: JSON {
        [
            "pool": .string(settings.pool), "directory": .optional(settings.directory),
            "maxBytes": .optional(settings.maxBytes), "maxAge": .seconds(settings.maxAge),
            "freshFor": .seconds(settings.freshFor),
            "cachedCount": .int(Int64(size.cachedCount)), "cachedBytes": .int(size.cachedBytes),
            "pinnedCount": .int(Int64(size.persistentCount)), "pinnedBytes": .int(size.persistentBytes),
        ]
    }
}

extension CacheEntry {
    /// All members. The names are a contract that docs/JSON.md documents.
    package var json: JSON {
        [
            "pool": .string(pool), "number": .int(number), "key": .string(label), "kind": .optional(kind),
            "isPinned": .bool(mode == .persistent), "path": .optional(path), "bytes": .int(bytes),
            "entityTag": .optional(entityTag), "isFresh": .bool(isFresh), "retains": .int(Int64(retains)),
            "used": .string(SystemTime.timestamp(used)), "checked": .string(SystemTime.timestamp(checked)),
        ]
    }
}

extension ListedEntry {
    /// All members of the entry, and what was found in the place of its file.
    package var json: JSON {
        guard case .object(let members) = entry.json else { return entry.json }
        // What has just arrived is served from now on.
        let found = file == .arrived ? .intact : file
        return .object(members + [.init(name: "file", value: .optional(found?.rawValue))])
    }
}

extension JSON {
    /// A time in seconds, or null.
    fileprivate static func seconds(_ time: Duration?) -> JSON {
        time.map { .int($0.components.seconds) } ?? .null
    }
}

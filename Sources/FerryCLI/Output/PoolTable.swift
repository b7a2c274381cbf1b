import Ferry
import FerryFrontend

/// `ferry cache size` for people: one line per pool.
enum PoolTable {
    private static let headings = [
        "POOL", "FILES", "SIZE", "PINNED", "SIZE", "MAX SIZE", "MAX AGE", "FRESH FOR",
    ]
    /// Number of headings before the limits.
    private static let sizes = 5

    /// The header and a line for each pool.
    ///
    /// - Parameter columns: those of a terminal that the lines fit; `nil` for any length. In a narrow one, the limits of a pool
    ///   get lines of their own.
    static func lines(_ pools: [PoolSummary], columns: Int? = nil) -> [String] {
        let lines = table(pools, headings.count)
        guard let columns, lines.contains(where: { DisplayWidth.of($0) >= columns }) else { return lines }
        let limits: [String?] = [nil] + pools.map { "    \($0.settings.terms)" }
        return zip(table(pools, sizes), limits).flatMap { line, limits in
            [line, limits].compactMap(\.self).map { TerminalText.wrapped($0, to: columns - 1, indent: 4) }
        }
    }

    /// - Parameter count: number of cells in a line.
    private static func table(_ pools: [PoolSummary], _ count: Int) -> [String] {
        let rows = pools.map { pool in
            let (settings, size) = (pool.settings, pool.size)
            return [
                settings.pool, "\(size.cachedCount)", ByteCount(size.cachedBytes).formatted,
                "\(size.persistentCount)", ByteCount(size.persistentBytes).formatted,
                settings.maxBytes.map { ByteCount($0).formatted } ?? "-", settings.maxAge?.inUnits ?? "-",
                settings.freshFor?.inUnits ?? "always",
            ]
        }
        let width = ([headings] + rows).map { DisplayWidth.of($0[0]) }.max() ?? 0
        return ([headings] + rows).map { cells in
            cells[1..<count].reduce(TerminalText.padded(TerminalText.safe(cells[0]), to: width)) {
                $0 + "  " + TerminalText.rightAligned($1, to: 9)
            }
        }
    }

    /// A line about an entry.
    static func line(_ listed: ListedEntry) -> String {
        let entry = listed.entry
        let size = entry.path == nil ? "none" : ByteCount(entry.bytes).formatted
        var notes: [String] = []
        // Another entry may have the same label. A digest of the key could give a short secret away.
        if entry.label.contains("…") { notes.append("entry \(entry.number)") }
        if entry.mode == .persistent { notes.append("pinned") }
        if !entry.isFresh { notes.append("stale") }
        if let fault = listed.file?.fault { notes.append(fault) }
        if entry.retains > 0 { notes.append("in use") }
        let aside = notes.isEmpty ? "" : " (\(notes.joined(separator: ", ")))"
        return "\(TerminalText.rightAligned(size, to: 9))  \(TerminalText.safe(entry.label))\(aside)"
    }
}

extension EntryFile {
    /// Why the file is not served, in words; `nil` if it is.
    var fault: String? {
        switch self {
        case .intact, .arrived: nil
        case .missing: "file is missing"
        case .link: "a link is in the place of the file"
        case .changed: "file was changed"
        case .unreadable: "file cannot be checked"
        }
    }
}

extension CacheSettings {
    /// The settings, in words.
    var terms: String {
        let bytes = maxBytes.map { "up to \(ByteCount($0).formatted)" } ?? "no size limit"
        let age = maxAge.map { ", evicts what was not used for \($0.inUnits)" } ?? ""
        let fresh = freshFor.map { "files are fresh for \($0.inUnits)" } ?? "files are always fresh"
        return "\(bytes)\(age); \(fresh)"
    }

    /// What a person is told whose file is larger than its pool may be; `nil` if it is not, or is pinned.
    func warning(of entry: CacheEntry) -> String? {
        guard let maxBytes, isTooLarge(entry.bytes), entry.mode == .cached else { return nil }
        let (label, limit) = (TerminalText.safe(entry.label), ByteCount(maxBytes).formatted)
        return "\(label) is larger than the limit of pool \(pool) (\(limit)), so it is evicted first. "
            + "`ferry cache pin \(pool) URL` keeps it."
    }
}

extension Duration {
    /// Whole seconds in the units in which a user writes them, such as `1d12h`.
    fileprivate var inUnits: String {
        var rest = components.seconds
        var text = ""
        for (unit, seconds) in [("d", Int64(86_400)), ("h", 3_600), ("m", 60), ("s", 1)] {
            if rest >= seconds { text += "\(rest / seconds)\(unit)" }
            rest %= seconds
        }
        return text.isEmpty ? "0s" : text
    }
}

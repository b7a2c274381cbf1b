internal import SystemPackage

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// Paths without symbolic links.
enum ResolvedPath {
    /// The path without symbolic links. Its last components need not exist yet. A path that cannot be followed stays as it is.
    static func of(_ path: String) -> String {
        var existing = FilePath(path)
        var missing: [FilePath.Component] = []
        while true {
            if let resolved = ofExisting(existing.string) {
                var whole = FilePath(resolved)
                for component in missing.reversed() { whole.append(component) }
                return whole.lexicallyNormalized().string
            }
            guard let last = existing.lastComponent else { return path }
            missing.append(last)
            existing.removeLastComponent()
        }
    }

    /// The path without symbolic links; `nil` if nothing is there, or if it cannot be followed.
    static func ofExisting(_ path: String) -> String? {
        guard let pointer = realpath(path, nil) else { return nil }
        defer { free(pointer) }
        return String(validatingCString: pointer)
    }
}

import Ferry

/// A file or directory as the source lists it.
struct ListedFile: Hashable, Sendable {
    /// Its path below the directory of the mirror.
    let path: String
    /// Its path as the source lists it; `nil` if that is the same.
    var listedPath: String?
    /// Whether it is a file or a directory.
    let kind: MirrorEntry.Kind
    /// Where it is; `nil` for a directory that only the keys in it imply.
    let url: HTTPURL?
    /// Its version.
    let version: ListedVersion
    /// Other URLs of the same file, the best first.
    var mirrors: [HTTPURL] = []

    init(
        _ path: String,
        _ kind: MirrorEntry.Kind,
        _ url: HTTPURL?,
        _ version: ListedVersion = ListedVersion()
    ) {
        (self.path, self.kind, self.url, self.version) = (path, kind, url, version)
    }
}

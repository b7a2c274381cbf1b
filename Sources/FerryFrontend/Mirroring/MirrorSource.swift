package import Ferry

/// What a mirror copies.
package enum MirrorSource: Hashable, Sendable {
    /// The objects whose keys begin with a text.
    case bucket(ObjectPrefix)
    /// A directory of a web server. Its URL ends in `/`.
    case directory(HTTPURL)
    /// The files that a manifest names.
    case manifest(HTTPURL)

    /// Reads a source from a command line.
    ///
    /// - Throws: ``CommandFailure`` with status 64 if it is none.
    package init(parsing text: String) throws(CommandFailure) {
        do throws(ObjectName.ParseError) {
            self = .bucket(try ObjectPrefix(parsing: text))
        } catch {
            guard case .unknownScheme = error else { throw .usage(error.description) }
            self = try Self.document(text)
        }
    }

    /// A directory, or a manifest if the name in the URL is that of one.
    private static func document(_ text: String) throws(CommandFailure) -> MirrorSource {
        let (given, directory): (HTTPURL, HTTPURL)
        do throws(HTTPURL.ParseError) {
            given = try HTTPURL(typed: text)
            directory =
                given.path.hasSuffix("/") || given.query != nil ? given : try HTTPURL(typed: text + "/")
        } catch {
            throw .usage(
                error.description,
                hint: "Name a directory, such as https://example.org/pub/ or s3://bucket/folder/."
            )
        }
        guard given.query == nil, given.fragment == nil else {
            throw .usage("\(given.redacted) is not a directory URL. Remove the query and the fragment.")
        }
        return Manifest.isNamed(by: given) ? .manifest(given) : .directory(directory)
    }

    /// Its URL; `nil` for a bucket.
    var url: HTTPURL? {
        switch self {
        case .bucket: nil
        case .directory(let url), .manifest(let url): url
        }
    }

    /// The user and password in its URL; `nil` if it has none.
    var userAndPassword: String? {
        guard let url, let user = url.user else { return nil }
        return "\(user):\(url.password ?? "")"
    }

    /// The source without user and password.
    var withoutUserinfo: MirrorSource {
        switch self {
        case .bucket: self
        case .directory(let url): .directory(url.withoutUserinfo)
        case .manifest(let url): .manifest(url.withoutUserinfo)
        }
    }

    /// The length of what the keys of a bucket have in common, up to its last slash, in bytes. Paths begin after it.
    var commonLength: Int {
        guard case .bucket(let prefix) = self else { return 0 }
        return ObjectPrefix.folderLength(of: prefix.text)
    }

    /// Its name, without secrets.
    package var redacted: String {
        switch self {
        case .bucket(let prefix): prefix.description
        case .directory(let url), .manifest(let url): url.redacted
        }
    }

    /// Identifies it. A user and password in its URL do not count.
    var identity: String { withoutUserinfo.redacted }
}

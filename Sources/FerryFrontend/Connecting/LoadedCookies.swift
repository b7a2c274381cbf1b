import Ferry

/// The cookies of the file that `--load-cookies` names.
package struct LoadedCookies: Sendable {
    /// The cookies; `nil` if no file is used.
    let jar: CookieJar?

    /// Maximum length of the file, in bytes. It is more than all cookies that a jar keeps of servers, so that a file
    /// that was saved can be loaded.
    static let longest = 20 << 20

    /// Whether a file is used.
    var isPresent: Bool { jar != nil }

    /// Reads the file.
    ///
    /// - Parameter path: the path that the user gave; `nil` for no cookies.
    /// - Throws: ``CommandFailure`` with status 15 when the file cannot be used.
    init(path: String?, environment: ProcessEnvironment) throws(CommandFailure) {
        guard let path else {
            jar = nil
            return
        }
        let file = environment.absolutePath(path)
        let contents: FileReader.Contents
        do {
            contents = try FileReader.read(file, atMost: Self.longest + 1)
        } catch {
            throw Self.unusable("\(file) was not read: \(error.reason).")
        }
        guard contents.bytes.count <= Self.longest else {
            throw Self.unusable("\(file) has more than \(Self.longest >> 20) MiB of cookies.")
        }
        do {
            jar = try CookieJar(parsing: contents.text)
        } catch {
            throw Self.unusable("\(file), \(error.description)")
        }
    }

    private static func unusable(_ text: String) -> CommandFailure {
        .cannotOpen(text, hint: "Nothing was downloaded or added.")
    }

    /// The field for a URL; `nil` if it gets no cookie, or the user gave the field.
    func field(for url: HTTPURL, headers: [HeaderField]) -> HeaderField? {
        guard let jar, !headers.contains(where: \.isCookie) else { return nil }
        return jar.field(for: url, at: SystemTime.now).map { HeaderField(name: "Cookie", value: $0) }
    }
}

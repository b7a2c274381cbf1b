extension FileName {
    /// The name for a URL whose path names no file.
    package static let fallback = FileName(unchecked: "index.html")

    /// The name from a URL: the last segment of its path, made safe, or else ``fallback``.
    package static func fromURL(_ url: HTTPURL) -> FileName {
        url.lastPathSegment.flatMap { sanitized($0) } ?? fallback
    }

    /// Chooses the name of a download: the user's, or else the server's proposal made safe, or else the URL's.
    ///
    /// `url` must be the user's URL, never a redirect's target. Servers decide where a redirect leads, and must not
    /// decide which file is created here.
    package static func choose(
        userGiven: FileName?,
        contentDisposition: ContentDisposition?,
        url: HTTPURL
    ) -> FileName {
        userGiven ?? contentDisposition?.filename.flatMap { sanitized($0) } ?? fromURL(url)
    }
}

extension FileName {
    /// The name for a URL whose path names no file.
    public static let fallback = FileName(unchecked: "index.html")

    /// The name that a URL gives: the last segment of its path, made safe, or else ``fallback``.
    public static func fromURL(_ url: HTTPURL) -> FileName {
        url.lastPathSegment.flatMap { sanitized($0) } ?? fallback
    }

    /// Chooses the name of a download: what the user gave, else what the server proposes, made safe, else what
    /// the URL says.
    ///
    /// `url` is the one that the user gave, never a redirect's target: where a redirect leads is for servers to
    /// say, and must not decide what is created here.
    public static func choose(
        userGiven: FileName?,
        contentDisposition: ContentDisposition?,
        url: HTTPURL
    ) -> FileName {
        userGiven ?? contentDisposition?.filename.flatMap { sanitized($0) } ?? fromURL(url)
    }
}

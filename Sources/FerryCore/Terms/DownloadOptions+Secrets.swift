extension DownloadOptions {
    /// The same options as they may be used at a server that the user did not name (I7): without credentials and
    /// without fields of the user's, any of which may be a secret, but for those that tell nothing about who asks.
    public var withoutSecrets: DownloadOptions {
        var options = self
        options.credentials = nil
        options.headers = headers.filter(\.isHarmless)
        return options
    }

    /// Whether anything of them is for servers only that the user named.
    public var hasSecrets: Bool { withoutSecrets != self }
}

extension DownloadOptions.HeaderField {
    /// The names of the fields that may go to any server, in small letters.
    private static let harmlessNames: Set<String> = [
        "accept", "accept-language", "cache-control", "user-agent",
    ]

    /// Whether it may go to any server, because it tells nothing about who asks. All others stay behind: any of them
    /// may hold a secret.
    public var isHarmless: Bool { Self.harmlessNames.contains(name.lowercased()) }
}

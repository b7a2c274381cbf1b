extension DownloadOptions {
    /// The names of the fields that may go to any server, because they tell nothing about who asks; in small letters.
    private static let harmlessFields: Set<String> = [
        "accept", "accept-language", "cache-control", "user-agent",
    ]

    /// The same options as they may be used at a server that the user did not name (I7): without credentials and
    /// without fields of the user's, any of which may be a secret, but for those that tell nothing about who asks.
    public var withoutSecrets: DownloadOptions {
        var options = self
        options.credentials = nil
        options.headers = headers.filter { Self.harmlessFields.contains($0.name.lowercased()) }
        return options
    }

    /// Whether anything of them is for servers only that the user named.
    public var hasSecrets: Bool { withoutSecrets != self }
}

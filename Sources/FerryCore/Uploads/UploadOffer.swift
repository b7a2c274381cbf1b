/// What a server says that it can do.
package struct UploadOffer: Hashable, Sendable, Codable {
    /// The names of its extensions.
    package var extensions: Set<String>
    /// The longest file, in bytes; `nil` if it does not say.
    package var longest: Int64?
    /// The longest body of one request, in bytes; `nil` if it does not say.
    package var longestAppend: Int64?
    /// The shortest body but the last, in bytes; `nil` if it does not say.
    package var shortestAppend: Int64?
    /// The algorithms that it checks bytes with.
    package var checksums: [Checksum.Algorithm]
    /// The version of the protocol's draft that it asks for; `nil` for the latest.
    package var draft: Int?

    package init(
        extensions: Set<String> = [],
        longest: Int64? = nil,
        longestAppend: Int64? = nil,
        shortestAppend: Int64? = nil,
        checksums: [Checksum.Algorithm] = [],
        draft: Int? = nil
    ) {
        self.extensions = extensions
        self.longest = longest
        self.longestAppend = longestAppend
        self.shortestAppend = shortestAppend
        self.checksums = checksums
        self.draft = draft
    }

    /// What a person is told of a file that is longer than the server takes.
    package static func refusal(of length: Int64, longest: Int64, host: String) -> String {
        "\(host) takes files of up to \(ByteCount(longest).formatted(beside: length)); this one has "
            + "\(ByteCount(length).formatted(beside: longest))."
    }
}

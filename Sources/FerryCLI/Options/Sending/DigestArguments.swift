import ArgumentParser
import FerryFrontend

/// The options that send digests of the body along.
struct DigestArguments: ParsableArguments {
    @Option(
        name: .customLong("content-digest"),
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Send the digest of the body in Content-Digest (RFC 9530): sha-256 or sha-512; may be repeated.",
            discussion: "The body is read before the command returns.",
            valueName: "algorithm"
        )
    )
    var contentDigests: [String] = []

    @Option(
        name: .customLong("repr-digest"),
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Send the digest in Repr-Digest, which servers may keep with the file; may be repeated.",
            valueName: "algorithm"
        )
    )
    var reprDigests: [String] = []

    @Flag(
        name: .customLong("content-md5"),
        help: "Send the MD5 of the body in Content-MD5, for servers that check only that."
    )
    var sendsContentMD5 = false

    /// Notes the options in what is asked to be sent.
    func apply(to input: inout SendInput) {
        input.contentDigests = contentDigests
        input.reprDigests = reprDigests
        input.sendsContentMD5 = sendsContentMD5
    }
}

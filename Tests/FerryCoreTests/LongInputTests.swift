import FerryCore
import HTTPTypes
import Testing

/// A reader that goes over its input once takes no notice of these; a quadratic one would not come back.
struct LongInputTests {
    @Test(arguments: [
        "a", ".", "/", "\\", "\"", "\\\"", ";", "=", "%", "%2F", " ", "\t", "\n", ",", "-", "0", "9",
        "\u{301}", "\u{202E}",
        "..", "../", "::", "1.", "#", "@", "?", "login ", "macdef\n", "\n x", ";x=\"", "&a=",
    ])
    func isReadOnce(unit: String) throws {
        let text = String(repeating: unit, count: 200_000)
        _ = FileName.sanitized(text)
        _ = FileName.sanitized("a" + text)
        _ = ContentDisposition("a;" + text)
        _ = ContentRange("bytes " + text)
        _ = EntityTag(text)
        _ = RetryAfter(text, now: .epoch)
        _ = MediaType(text)
        _ = try? HTTPURL(parsing: "https://h/" + String(text.prefix(60_000)))
        _ = try? Netrc(parsing: text)
        _ = try? ListFile(parsing: "https://h/\n" + text)
        _ = try? HeaderLine(parsing: "X:" + text)
        _ = try? ByteCount(parsing: text)
        _ = try? Proxy(parsing: text)
        _ = try? ChecksumFile(parsing: "\\" + String(repeating: "a", count: 64) + "  " + text).checksum(
            of: text
        )
        var fields = HTTPFields()
        for name in ["Repr-Digest", "Digest", "X-Goog-Hash", "Content-Encoding"] {
            fields.append(HTTPField(name: try #require(HTTPField.Name(name)), value: "a=1, " + text))
        }
        _ = VolunteeredDigest.all(in: ResponseHead(status: 200, headers: fields, bodyLength: nil))
        _ = NoProxyRules(text).matches(host: text)
    }
}

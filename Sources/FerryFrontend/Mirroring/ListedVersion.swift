package import Ferry

/// What a listing says about the version of a file. It can only be compared.
package struct ListedVersion: Hashable, Sendable {
    /// Its ETag, as the listing has it.
    package var etag: String?
    /// Its size in bytes.
    package var size: Int64?
    /// Its time of modification and perhaps its size, as the listing has them.
    package var stamp: String?
    /// Its digest.
    package var checksum: Checksum?

    /// Creates a version.
    package init(etag: String? = nil, size: Int64? = nil, stamp: String? = nil, checksum: Checksum? = nil) {
        (self.etag, self.size, self.stamp, self.checksum) = (etag, size, stamp, checksum)
    }

    /// Whether it tells versions apart: it has a digest, an ETag or a time. A size alone does not.
    package var tellsVersionsApart: Bool { checksum != nil || etag != nil || stamp != nil }

    /// The digest of an object according to its ETag, which is its MD5 if it was uploaded in one part and is not encrypted with
    /// a key of its own; `nil` for an ETag of another form.
    package var objectChecksum: Checksum? {
        etag.flatMap { Checksum(.md5, hexadecimal: Self.withoutQuotes($0)) }
    }

    /// Whether it is the version that an earlier listing had. Digests by one algorithm decide if both have one, then ETags,
    /// and otherwise size and time.
    package func isSame(as former: ListedVersion) -> Bool {
        if let checksum, let other = former.checksum, checksum.algorithm == other.algorithm {
            return checksum == other
        }
        if let etag, let other = former.etag { return etag.hasSameOctets(as: other) }
        // A size says nothing about another digest.
        guard checksum == former.checksum || stamp != nil else { return false }
        return size == former.size && stamp.hasSameOctets(as: former.stamp)
    }

    /// Whether a server that lists this version has sent another one: its ETag is another or, without one of the two, it was
    /// last modified before the listed time. `false` if nothing shows that.
    ///
    /// - Parameters:
    ///   - sentETag: the ETag that came with the file.
    ///   - sentTime: the `Last-Modified` that came with the file.
    ///   - now: decides the century of a time with a two-digit year.
    package func isOther(thanSent sentETag: String?, _ sentTime: Instant?, at now: Instant) -> Bool {
        if let etag, let sentETag { return Self.withoutQuotes(etag) != Self.withoutQuotes(sentETag) }
        guard let stamp, let sentTime, let listed = ListedTime(stamp, now: now) else { return false }
        return listed.isAfter(sentTime)
    }

    /// The octets of an ETag without quotes. Some stores leave them out of their listings, and people do in manifests.
    private static func withoutQuotes(_ etag: String) -> [UInt8] {
        etag.utf8.filter { $0 != UInt8(ascii: "\"") }
    }
}

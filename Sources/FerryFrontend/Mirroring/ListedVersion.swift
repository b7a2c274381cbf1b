import Ferry

/// What a listing says about the version of a file. It can only be compared.
package struct ListedVersion: Hashable, Sendable {
    /// Its ETag, as the listing has it.
    package var etag: String?
    /// Its size in bytes.
    package var size: Int64?
    /// Its time of modification and perhaps its size, as the listing has them.
    package var stamp: String?

    /// Creates a version.
    package init(etag: String? = nil, size: Int64? = nil, stamp: String? = nil) {
        (self.etag, self.size, self.stamp) = (etag, size, stamp)
    }

    /// Whether it tells versions apart: it has an ETag or a time. A size alone does not.
    package var tellsVersionsApart: Bool { etag != nil || stamp != nil }

    /// Whether it is the version that an earlier listing had. ETags decide if both have one; otherwise size and time do.
    package func isSame(as former: ListedVersion) -> Bool {
        if let etag, let other = former.etag { return etag.utf8.elementsEqual(other.utf8) }
        return size == former.size && stamp.map { Array($0.utf8) } == former.stamp.map { Array($0.utf8) }
    }
}

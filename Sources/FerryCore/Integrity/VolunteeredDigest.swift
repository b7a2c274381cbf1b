/// A digest that a server gives with a response without being asked.
///
/// It tells whether the bytes arrived as the server has them, not whether the server has the right ones. The user's
/// digest (``DownloadOptions/checksum``) comes before it. A digest of other bytes than those received would condemn a
/// good file, so an ambiguous one is not used. An entity tag is never one, even if it looks like an MD5.
package struct VolunteeredDigest: Hashable, Sendable {
    /// The digest.
    package var checksum: Checksum
    /// The field that contained it.
    package var source: Source
    /// What it covers.
    package var subject: Subject

    /// Creates a digest.
    package init(_ checksum: Checksum, source: Source, subject: Subject) {
        self.checksum = checksum
        self.source = source
        self.subject = subject
    }

    /// What a digest covers.
    package enum Subject: Hashable, Sendable {
        /// The whole file, whatever part of it the response brings.
        case file
        /// The part that the response brings.
        case part
    }

    /// The fields that are read.
    package enum Source: String, Hashable, Sendable, CaseIterable {
        /// Of the selected representation: all of it, even with a part (RFC 9530 §3).
        case reprDigest = "repr-digest"
        /// Of the content of this response (RFC 9530 §2).
        case contentDigest = "content-digest"
        /// Of the instance: all of it, even with a part (RFC 3230 §4.3.2).
        case digest
        /// Of the body (RFC 1864). RFC 7231 dropped it because servers disagreed about its meaning in a part.
        case contentMD5 = "content-md5"
        /// Google's, of the object as stored.
        case googleHash = "x-goog-hash"
        /// Amazon's.
        case amazonCRC32C = "x-amz-checksum-crc32c"
        /// Amazon's.
        case amazonCRC32 = "x-amz-checksum-crc32"
        /// Amazon's.
        case amazonCRC64NVME = "x-amz-checksum-crc64nvme"
        /// Amazon's.
        case amazonSHA1 = "x-amz-checksum-sha1"
        /// Amazon's.
        case amazonSHA256 = "x-amz-checksum-sha256"
        /// Alibaba's, of the whole object, even with a part; a decimal number.
        case alibabaCRC64 = "x-oss-hash-crc64ecma"
    }

    /// Returns the digest with which to compare the finished file: the strongest hash of the whole file, or else the
    /// longest check of it.
    ///
    /// Checks cost almost nothing; a hash takes as much time as the rest of a download. An algorithm with two
    /// different digests is left out: one of them is not of this file, and it is unknown which.
    package static func strongest(of digests: [VolunteeredDigest]) -> VolunteeredDigest? {
        for algorithm in Checksum.Algorithm.allCases {
            let candidates = digests.filter { $0.subject == .file && $0.checksum.algorithm == algorithm }
            if let first = candidates.first, candidates.allSatisfy({ $0.checksum == first.checksum }) {
                return first
            }
        }
        return nil
    }
}

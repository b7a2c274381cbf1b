/// Holds the checksums that a server has computed against those that are known of the file.
package enum UploadVerification {
    /// The algorithm of a checksum of the object that differs from that of the file; `nil` when none does.
    ///
    /// - Parameters:
    ///   - result: what the server says of the object.
    ///   - given: checksums of the file.
    ///   - parts: the parts of the whole file in order, as far as the server has confirmed their checksums.
    package static func mismatch(
        in result: UploadResult,
        given: [Checksum],
        parts: [SentPart]
    ) -> Checksum.Algorithm? {
        for theirs in result.checksums {
            for ours in given where ours.algorithm == theirs.algorithm && ours != theirs {
                return ours.algorithm
            }
            if let ours = combined(parts, by: theirs.algorithm), ours != theirs {
                return theirs.algorithm
            }
        }
        return nil
    }

    /// The cyclic redundancy check of adjacent parts; `nil` for a hash function, and when one is missing.
    package static func combined(_ parts: [SentPart], by algorithm: Checksum.Algorithm) -> Checksum? {
        guard algorithm.redundancyCheck != nil else { return nil }
        var sum: Checksum?
        for part in parts {
            guard let own = part.checksum, own.algorithm == algorithm else { return nil }
            guard let former = sum else {
                sum = own
                continue
            }
            sum = former.appending(own, length: part.length)
            if sum == nil { return nil }
        }
        return sum
    }
}

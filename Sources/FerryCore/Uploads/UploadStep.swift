/// One exchange of an upload.
package enum UploadStep: Hashable, Sendable {
    /// Asks what the server can do, before there is an upload.
    case discover
    /// Sends the whole file in one request, without an upload to resume.
    case sendWhole
    /// Creates the upload.
    case create
    /// Asks how far the server is. A long list of parts comes in pages; the next begins after this marker.
    case ask(after: String?)
    /// Sends a part.
    case append(UploadPart)
    /// Makes the parts one object.
    case complete
    /// Asks whether the object is there and is the one that was sent: when the answer to the last step was lost, and when the
    /// same file was uploaded before.
    case look
    /// Removes what the server holds of an upload that is given up.
    case abort
}

/// A range of the file that is sent in one request.
package struct UploadPart: Hashable, Sendable {
    /// Its number, from 1 on.
    package var number: Int
    /// Its bytes.
    package var range: Range<Int64>
    /// Whether it ends the file.
    package var isLast: Bool
    /// What the runner has computed from the bytes, if the protocol sends it along.
    package var checksum: Checksum?

    package init(number: Int, range: Range<Int64>, isLast: Bool, checksum: Checksum? = nil) {
        self.number = number
        self.range = range
        self.isLast = isLast
        self.checksum = checksum
    }

    /// Whether a server that is at this offset after the part has taken less than a thousandth of it. The rest is sent again, so
    /// an upload of such steps would send the file a thousand times and more.
    func isHardlyTaken(upTo offset: Int64) -> Bool {
        offset - range.lowerBound < (range.upperBound - range.lowerBound) / 1000
    }
}

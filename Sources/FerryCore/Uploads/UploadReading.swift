/// What an answer means for an upload.
package enum UploadReading: Hashable, Sendable {
    /// What the server can do. As an answer to ``UploadStep/create``: the request went beyond these limits, so the server took
    /// nothing. The upload is then created within them.
    case offers(UploadOffer)
    /// The upload was created, also as an interim answer (104) while its first bytes are on the way.
    case created(UploadHandle, offset: Int64)
    /// The server has this many bytes from the start on, and the upload is not over.
    case reached(Int64, expiry: Instant?)
    /// A page of the parts that the server has; the next page begins after the marker, `nil` at the end.
    case lists([SentPart], next: String?)
    /// The server has this part.
    case took(SentPart)
    /// The object is there.
    case done(UploadResult)
    /// An object of the right length is there. It is the one that was sent if the file has this checksum. Only an answer to
    /// ``UploadStep/look``.
    case resembles(UploadResult, Checksum)
    /// The object is not there, or is another one. Only an answer to ``UploadStep/look``.
    case absent
    /// What the server held of the upload is removed, or was gone before.
    case removed
    /// The server does not know the upload any more: it starts over. After ``UploadStep/complete`` the object may be there,
    /// made by an earlier request: it is looked for first.
    case gone
    /// The server is at another offset, this one if it says so: it is asked again.
    case misplaced(Int64?)
    /// The bytes arrived damaged: they are sent again.
    case damaged
    /// The server does not speak this protocol.
    case notSpoken
    /// The step failed.
    case failed(Problem)
}

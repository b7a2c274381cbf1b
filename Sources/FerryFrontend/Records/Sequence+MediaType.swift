import Ferry

extension Sequence<HeaderField> {
    /// The media type that the fields give; `nil` if they give none.
    package var mediaType: String? { first { $0.isNamed("Content-Type") }?.value }
}

extension UploadRecord {
    /// What a row tells of an upload. The parts are not in it.
    package init(_ specification: UploadSpecification, _ progress: UploadProgress, length: Int64) {
        self.init(
            url: specification.url,
            length: length,
            fileName: specification.fileName,
            method: specification.method
        )
        contentType = specification.contentType
        (metadata, fields) = (specification.metadata, specification.fields)
        checksums = specification.checksums
        (handle, offset, offer) = (progress.handle, progress.confirmed, progress.offer)
        (expected, former) = (progress.expected, progress.former)
    }
}

package import FerryCore

extension UploadProtocolName {
    /// What builds the requests of the protocol and reads the answers.
    package var wire: any UploadProtocol {
        switch self {
        case .tus: Tus()
        case .ietf: ResumableHTTP()
        case .s3: S3(.amazon)
        case .oss: S3(.alibaba)
        case .gcs: GoogleResumable(.xml)
        }
    }
}

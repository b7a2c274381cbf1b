/// A protocol by which an interrupted upload is resumed.
public enum UploadProtocolName: String, Hashable, Sendable, Codable, CaseIterable {
    /// tus 1.0.
    case tus
    /// Resumable uploads of the IETF (draft-ietf-httpbis-resumable-upload).
    case ietf
    /// Multipart uploads to Amazon S3, and to stores that are compatible with it.
    case s3
    /// Multipart uploads to Alibaba Cloud OSS.
    case oss
    /// Resumable uploads to Google Cloud Storage.
    case gcs
}

extension UploadProtocolName: CustomStringConvertible {
    /// The name for people.
    public var description: String {
        switch self {
        case .tus: "tus 1.0"
        case .ietf: "resumable uploads of the IETF"
        case .s3: "multipart uploads of S3"
        case .oss: "multipart uploads of OSS"
        case .gcs: "resumable uploads of Google Cloud Storage"
        }
    }
}

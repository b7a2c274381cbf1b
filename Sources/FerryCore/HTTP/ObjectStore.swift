/// A kind of object store, by the scheme of its names.
public enum ObjectStore: String, Hashable, Sendable, CaseIterable {
    /// Amazon S3, and every store that speaks its protocol.
    case s3
    /// Alibaba Cloud OSS.
    case oss
    /// Google Cloud Storage.
    case gs
}

extension ObjectStore: CustomStringConvertible {
    /// The name of the store for people.
    public var description: String {
        switch self {
        case .s3: "S3"
        case .oss: "OSS"
        case .gs: "Google Cloud Storage"
        }
    }
}

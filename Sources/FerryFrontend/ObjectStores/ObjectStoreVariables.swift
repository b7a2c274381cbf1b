import Ferry

/// The environment variables for a store; the first one that is set counts.
struct ObjectStoreVariables {
    let accessKey: [String]
    let secret: [String]
    let sessionToken: [String]
    let expiration: [String]
    let region: [String]
    let endpoint: [String]

    init(_ store: ObjectStore) {
        switch store {
        case .s3:
            accessKey = ["AWS_ACCESS_KEY_ID"]
            secret = ["AWS_SECRET_ACCESS_KEY"]
            sessionToken = ["AWS_SESSION_TOKEN", "AWS_SECURITY_TOKEN"]
            expiration = ["AWS_CREDENTIAL_EXPIRATION"]
            region = ["AWS_REGION", "AWS_DEFAULT_REGION"]
            endpoint = ["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"]
        case .oss:
            accessKey = ["OSS_ACCESS_KEY_ID"]
            secret = ["OSS_ACCESS_KEY_SECRET"]
            sessionToken = ["OSS_SESSION_TOKEN"]
            expiration = []
            region = ["OSS_REGION"]
            endpoint = ["OSS_ENDPOINT"]
        case .gs:
            accessKey = ["GS_ACCESS_KEY_ID"]
            secret = ["GS_SECRET_ACCESS_KEY"]
            (sessionToken, expiration, region, endpoint) = ([], [], [], [])
        }
    }
}

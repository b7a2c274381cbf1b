internal import Crypto
internal import FerryCore

/// A signature of OSS in version 1: an HMAC-SHA1 over a few fields and over the resource with its sub-resources ("Include
/// V1 signatures").
struct Signature1 {
    let credentials: ObjectStoreCredentials
    let secret: String

    /// The URL with a signature in its query that ends at a moment.
    func url(for request: ObjectRequest, until end: Instant) throws(SigningRefusal) -> HTTPURL {
        let seconds = "\(end.milliseconds / 1000)"
        var parameters = request.parameters
        if let token = credentials.sessionToken { parameters.append(("security-token", token)) }
        let signature = signature(of: request, parameters, date: seconds)
        parameters += [
            ("OSSAccessKeyId", credentials.accessKey), ("Expires", seconds), ("Signature", signature),
        ]
        return try request.url(parameters.map(ObjectStore.oss.encoded))
    }

    /// The header fields that sign a request, to be sent besides its own.
    func fields(for request: ObjectRequest, at now: Instant) -> [HeaderField] {
        var added = [HeaderField(name: "date", value: now.httpDate)]
        if let token = credentials.sessionToken {
            added.append(HeaderField(name: "x-oss-security-token", value: token))
        }
        var whole = request
        whole.headers += added
        let signature = signature(of: whole, request.parameters, date: now.httpDate)
        let value = "OSS \(credentials.accessKey):\(signature)"
        return added + [HeaderField(name: "authorization", value: value)]
    }

    private func signature(
        of request: ObjectRequest,
        _ parameters: [ObjectRequest.Parameter],
        date: String
    ) -> String {
        let fields = SignedField.all(of: request.headers, SignedField.trimmed)
        func value(_ name: String) -> String { fields.first { $0.name == name }?.value ?? "" }
        let own = fields.filter { $0.name.hasPrefix("x-oss-") }.map { "\($0.name):\($0.value)\n" }.joined()
        let resource = request.address.resource + Self.subresources(among: parameters)
        let text = [request.method, value("content-md5"), value("content-type"), date, own + resource]
        let code = HMAC<Insecure.SHA1>.authenticationCode(
            for: Array(text.joined(separator: "\n").utf8),
            using: SymmetricKey(data: Array(secret.utf8))
        )
        return Base64.encoded(Array(code))
    }

    /// The part of a query that belongs to the resource, not encoded.
    private static func subresources(among parameters: [ObjectRequest.Parameter]) -> String {
        let signed = parameters.filter { subresourceNames.contains($0.name) }.sorted { $0.name < $1.name }
        let texts = signed.map { name, value in value.map { $0.isEmpty ? name : "\(name)=\($0)" } ?? name }
        return texts.isEmpty ? "" : "?" + texts.joined(separator: "&")
    }

    /// The parameters that the store counts as part of the resource.
    private static let subresourceNames: Set<String> = [
        "accessPoint", "accessPointPolicy", "acl", "append", "asyncFetch", "bucketArchiveDirectRead",
        "bucketInfo", "callback", "callback-var", "cloudboxes", "cname", "comp", "continuation-token", "cors",
        "delete", "encryption", "endTime", "group", "httpsConfig", "inventory", "inventoryId", "lifecycle",
        "link", "live", "location", "logging", "metaQuery", "objectInfo", "objectMeta", "partNumber",
        "policy",
        "position", "publicAccessBlock", "qos", "qosInfo", "qosRequester", "redundancyTransition", "referer",
        "regionList", "replication", "replicationLocation", "replicationProgress", "requestPayment",
        "requesterQosInfo", "resourceGroup", "resourcePool", "resourcePoolBuckets", "resourcePoolInfo",
        "response-cache-control", "response-content-disposition", "response-content-encoding",
        "response-content-language", "response-content-type", "response-expires", "restore", "security-token",
        "sequential", "startTime", "stat", "status", "style", "styleName", "symlink", "tagging",
        "transferAcceleration", "uploadId", "uploads", "versionId", "versioning", "versions", "vod",
        "website",
        "worm", "wormExtend", "wormId", "x-oss-ac-forward-allow", "x-oss-ac-source-ip",
        "x-oss-ac-subnet-mask",
        "x-oss-ac-vpc-id", "x-oss-access-point-name", "x-oss-async-process", "x-oss-process",
        "x-oss-redundancy-transition-taskid", "x-oss-request-payer", "x-oss-target-redundancy-type",
        "x-oss-traffic-limit", "x-oss-write-get-object-response",
    ]
}

package import FerryCore

/// Where an object is: the server, the path that is asked for, and what a signature says about both.
package struct ObjectAddress: Hashable, Sendable {
    /// The scheme of the server.
    package let scheme: HTTPURL.Scheme
    /// Host and port as the `Host` field carries them.
    package let hostAndPort: String
    /// The path, percent-encoded once, as signatures of S3 and Google cover it.
    package let path: String
    /// Bucket and key with a slash before each, as signatures of OSS cover them.
    package let resource: String
    /// The region that a signature of version 4 is valid in; `nil` if it is not known.
    package let region: String?

    /// Finds an object; an empty key is the bucket itself.
    package init(
        _ store: ObjectStore,
        bucket: String,
        key: String = "",
        _ addressing: ObjectStoreAddressing
    ) throws(SigningRefusal) {
        let region = try Self.region(of: store, addressing)
        let server = try Self.server(of: store, in: region, addressing)
        let place = Self.place(of: bucket, in: store, at: server, addressing)
        scheme = server.scheme
        hostAndPort = (place == .host ? "\(bucket)." : "") + server.hostAndPort
        let prefix = server.path == "/" ? "" : String(server.path.trimmingLastSlash)
        let folder = place == .path ? "/\(bucket)" : ""
        path =
            PercentEncoding.escaped(PercentEncoding.decoded(prefix.utf8), keeping: Self.slash)
            + PercentEncoding.escaped("\(folder)/\(key)".utf8, keeping: Self.slash)
        resource = "/\(bucket)/\(key)"
        self.region = region
    }

    /// The path as a URL carries it: without segments of dots, which programs resolve before they send the request.
    var sentPath: String {
        path.split(separator: "/", omittingEmptySubsequences: false)
            .map { $0 == "." ? "%2E" : $0 == ".." ? "%2E%2E" : $0 }
            .joined(separator: "/")
    }

    private static let slash: Set<UInt8> = [0x2F]

    // MARK: Server and region

    private static func server(
        of store: ObjectStore,
        in region: String?,
        _ addressing: ObjectStoreAddressing
    ) throws(SigningRefusal) -> HTTPURL {
        if let endpoint = addressing.endpoint {
            guard endpoint.user == nil, endpoint.query == nil, endpoint.fragment == nil else {
                throw .invalidEndpoint
            }
            return endpoint
        }
        guard addressing.style != .customDomain else { throw .missingEndpoint }
        let host: String
        switch store {
        case .gs: host = "storage.googleapis.com"
        case .oss:
            guard let region else { throw .missingRegion(store) }
            host = "oss-\(region).aliyuncs.com"
        case .s3:
            guard let region else { throw .missingRegion(store) }
            host = "s3.\(region).amazonaws.com" + (region.hasPrefix("cn-") ? ".cn" : "")
        }
        do {
            return try HTTPURL(parsing: "https://\(host)")
        } catch {
            throw .invalidRegion
        }
    }

    /// The region that a signature of version 4 is valid in; `nil` if it is not known.
    static func region(
        of store: ObjectStore,
        _ addressing: ObjectStoreAddressing
    ) throws(SigningRefusal) -> String? {
        guard let region = addressing.region else { return region(of: store, at: addressing.endpoint) }
        guard (1...63).contains(region.utf8.count), region.utf8.allSatisfy(isOfRegion) else {
            throw .invalidRegion
        }
        // The name of a server of OSS has this prefix, the name of its region has not.
        let prefix = "oss-"
        return store == .oss && region.hasPrefix(prefix) ? String(region.dropFirst(prefix.count)) : region
    }

    private static func isOfRegion(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
            || byte == 0x2D || byte == 0x5F
    }

    /// The region that the name of a server tells, or that is right for most of the others.
    private static func region(of store: ObjectStore, at endpoint: HTTPURL?) -> String? {
        let labels = endpoint?.host.split(separator: ".") ?? []
        switch store {
        case .gs: return "auto"
        case .oss:
            // oss-cn-hangzhou.aliyuncs.com, oss-cn-hangzhou-internal.aliyuncs.com
            guard labels.suffix(2) == ["aliyuncs", "com"],
                let label = labels.first(where: { $0.hasPrefix("oss-") })
            else { return nil }
            let name = label.dropFirst("oss-".count)
            let internalSuffix = "-internal"
            return String(name.hasSuffix(internalSuffix) ? name.dropLast(internalSuffix.count) : name)
        case .s3:
            guard let endpoint else { return nil }
            // s3.eu-central-1.amazonaws.com, s3.dualstack.eu-central-1.amazonaws.com, s3.amazonaws.com
            guard isOfAmazon(endpoint.host) else { return "us-east-1" }
            let names = labels.drop { $0 != "s3" }.dropFirst().prefix { $0 != "amazonaws" }
            return names.last { $0 != "dualstack" }.map(String.init) ?? "us-east-1"
        }
    }

    // MARK: Bucket

    private enum Place {
        case host, path, nowhere
    }

    private static func place(
        of bucket: String,
        in store: ObjectStore,
        at server: HTTPURL,
        _ addressing: ObjectStoreAddressing
    ) -> Place {
        let isAddress = IPAddress(server.host) != nil
        switch addressing.style {
        case .customDomain: return .nowhere
        case .path: return .path
        case .virtualHost: return isAddress || !isLabel(bucket, over: .http) ? .path : .host
        case .automatic: break
        }
        guard !isAddress, server.host != "localhost", isLabel(bucket, over: server.scheme) else {
            return .path
        }
        switch store {
        case .oss: return .host
        case .gs: return .path
        case .s3:
            // Any other server may lack the wildcard in its DNS and in its certificate.
            let host = server.host
            return addressing.endpoint == nil || isOfAmazon(host) || host.hasSuffix(".aliyuncs.com")
                ? .host : .path
        }
    }

    private static func isOfAmazon(_ host: String) -> Bool {
        [".amazonaws.com", ".amazonaws.com.cn"].contains { host.hasSuffix($0) }
    }

    /// Whether a bucket can be a part of a host. The certificate of a store covers one label, so a bucket with dots
    /// cannot over TLS.
    private static func isLabel(_ bucket: String, over scheme: HTTPURL.Scheme) -> Bool {
        let labels = bucket.utf8.split(separator: 0x2E, omittingEmptySubsequences: false)
        return (3...63).contains(bucket.utf8.count) && (labels.count == 1 || scheme == .http)
            && labels.allSatisfy { label in
                !label.isEmpty && label.first != 0x2D && label.last != 0x2D
                    && label.allSatisfy {
                        (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) || $0 == 0x2D
                    }
            }
    }
}

extension String {
    /// The text without one slash at its end.
    fileprivate var trimmingLastSlash: Substring { hasSuffix("/") ? dropLast() : self[...] }
}

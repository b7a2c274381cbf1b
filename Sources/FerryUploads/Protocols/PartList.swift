import FerryCore

/// A page of the parts that a store has of an upload.
struct PartList {
    /// The parts, in the order of the page.
    private(set) var parts: [SentPart] = []
    /// After which number the next page begins; `nil` at the end.
    private(set) var next: String?

    /// Reads a page.
    ///
    /// - Parameter marker: after which number this page begins.
    /// - Returns: `nil` if it is not a page of this upload, or would never end.
    init?(_ body: [UInt8], of uploadID: String?, after marker: String?, _ dialect: S3Dialect) {
        // moto ends the name otherwise.
        guard let root = Self.root(body), ["ListPartsResult", "ListPartsResponse"].contains(root.name),
            root.text(of: "UploadId") == uploadID
        else {
            return nil
        }
        for element in root.all("Part") {
            guard let number = element.number(of: "PartNumber"),
                (1...Int64(S3Dialect.mostParts)).contains(number),
                let length = element.number(of: "Size"), let tag = element.text(of: "ETag"), !tag.isEmpty
            else { return nil }
            parts.append(
                SentPart(
                    number: Int(number),
                    length: length,
                    tag: tag,
                    checksum: dialect.checksum(in: element)
                )
            )
        }
        switch root.text(of: "IsTruncated") {
        case "true":
            // A server that repeats a page would be asked forever.
            guard let number = root.number(of: "NextPartNumberMarker"),
                number > (marker.flatMap { Int64($0) } ?? 0)
            else { return nil }
            next = String(number)
        case "false", nil: next = nil
        default: return nil
        }
    }

    private static func root(_ body: [UInt8]) -> XMLElement? {
        do {
            return try XMLElement(reading: body)
        } catch {
            return nil
        }
    }
}

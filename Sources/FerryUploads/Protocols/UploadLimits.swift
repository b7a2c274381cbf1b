import FerryCore
import HTTPTypes

/// What an `Upload-Limit` field says.
struct UploadLimits: Hashable {
    /// The longest file, in bytes.
    private(set) var longest: Int64?
    /// The longest body of one request, in bytes.
    private(set) var longestAppend: Int64?
    /// The shortest body but the last, in bytes.
    private(set) var shortestAppend: Int64?
    /// When the server forgets the upload.
    private(set) var expiry: Instant?

    /// Reads the field of an answer that arrived now. One with a mistake in it is ignored, as if there were none.
    init(_ fields: HTTPFields, at now: Instant) {
        let text = fields[values: .uploadLimit].joined(separator: ", ")
        guard let dictionary = StructuredDictionary(text) else { return }
        let known = ["max-size", "min-size", "max-append-size", "min-append-size", "max-age"]
        let numbers = dictionary.integers
        guard known.allSatisfy({ !dictionary.keys.contains($0) || numbers[$0].map { $0 >= 0 } == true })
        else { return }
        longest = numbers["max-size"]
        // With a bound of 0 nothing could be sent at all.
        longestAppend = numbers["max-append-size"].flatMap { $0 > 0 ? $0 : nil }
        shortestAppend = numbers["min-append-size"]
        expiry = numbers["max-age"].map { now.advanced(by: .seconds($0)) }
    }

    /// The limits as the offer of a server.
    var offer: UploadOffer {
        UploadOffer(longest: longest, longestAppend: longestAppend, shortestAppend: shortestAppend)
    }
}

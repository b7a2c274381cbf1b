package import HTTPTypes

/// An answer to a step. Of the body, up to ``longestBody`` bytes are there.
package struct UploadAnswer: Hashable, Sendable {
    package var status: Int
    package var fields: HTTPFields
    package var body: [UInt8]
    /// Where it came from; a relative `Location` is resolved against it.
    package var url: HTTPURL

    /// Pages of parts and errors of stores are shorter. A longer answer is refused.
    package static let longestBody = 4 << 20

    package init(_ status: Int, _ fields: HTTPFields = [:], body: [UInt8] = [], from url: HTTPURL) {
        self.status = status
        self.fields = fields
        self.body = body
        self.url = url
    }
}

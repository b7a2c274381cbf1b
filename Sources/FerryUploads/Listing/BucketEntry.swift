package import FerryCore

/// What a bucket is listed for: its objects, or the uploads to it that have not ended.
package protocol BucketEntry: Hashable, Sendable {
    /// The parameter that asks for a page, besides those that all listings have.
    static var question: BucketListing<Self>.Parameter { get }
    /// The name of the document, and of the element that has one entry.
    static var names: (document: String, element: String) { get }
    /// The parameter that bounds a page.
    static var bound: String { get }
    /// The element that names an entry and is never encoded, if stores say that they have encoded keys and have not. Two pages
    /// are compared by it. `nil` if stores do what they say.
    static var anchor: String? { get }
    /// Where the next page begins; `nil` if the page does not tell.
    static func marker(in page: BucketPage) -> [BucketListing<Self>.Parameter]?

    /// The key of the object.
    var key: String { get }

    /// Reads an entry; `nil` if it cannot be one.
    init?(_ element: BucketPage.Element, in page: BucketPage)
}

/// An object in a listing.
package struct ListedObject: BucketEntry {
    package let key: String
    /// Its length in bytes.
    package let length: Int64
    /// Its ETag as the listing has it, which some stores write without its quotes; `nil` if it has none.
    package let etag: String?
    /// When it was last changed, as the listing has it.
    package let modified: String?

    package init?(_ element: BucketPage.Element, in page: BucketPage) {
        guard let key = page.name("Key", in: element), let length = element.number(of: "Size") else {
            return nil
        }
        (self.key, self.length) = (key, length)
        (etag, modified) = (element.text(of: "ETag"), element.text(of: "LastModified"))
    }

    package static let names = (document: "ListBucketResult", element: "Contents")
    package static let bound = "max-keys"
    package static let anchor: String? = nil
    package static var question: BucketListing<Self>.Parameter { ("list-type", "2") }

    package static func marker(in page: BucketPage) -> [BucketListing<Self>.Parameter]? {
        // The token is never encoded.
        page.root.text(of: "NextContinuationToken").flatMap {
            $0.isEmpty ? nil : [("continuation-token", $0)]
        }
    }
}

/// An upload in parts that has not ended, in a listing.
package struct ListedUpload: BucketEntry {
    package let key: String
    /// Its name at the store.
    package let id: String
    /// When it began; `nil` if the store does not say.
    package let begun: Instant?

    package init?(_ element: BucketPage.Element, in page: BucketPage) {
        guard let key = page.name("Key", in: element), let id = element.text(of: "UploadId"),
            (1...Self.longestID).contains(id.utf8.count)
        else { return nil }
        (self.key, self.id) = (key, id)
        begun = element.text(of: "Initiated").flatMap(Instant.init(timestamp:))
    }

    /// The longest name that fits into a URL whatever is in it, in bytes.
    private static let longestID = 4096

    package static let names = (document: "ListMultipartUploadsResult", element: "Upload")
    package static let bound = "max-uploads"
    /// SeaweedFS 4.48 says that these keys are encoded, and does not encode them.
    package static let anchor: String? = "UploadId"
    package static var question: BucketListing<Self>.Parameter { ("uploads", nil) }

    package static func marker(in page: BucketPage) -> [BucketListing<Self>.Parameter]? {
        guard let key = page.name("NextKeyMarker", in: page.root), !key.isEmpty else { return nil }
        let id = page.root.text(of: "NextUploadIdMarker") ?? ""
        return [("key-marker", key)] + (id.isEmpty ? [] : [("upload-id-marker", id)])
    }
}

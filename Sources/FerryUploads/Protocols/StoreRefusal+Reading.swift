package import FerryCore
import HTTPTypes

extension StoreRefusal {
    /// Reads the body of an answer to a signed URL; `nil` if it is no error of a store.
    package init?(reading body: [UInt8], from url: HTTPURL, status: Int) {
        guard let error = ObjectStoreError(UploadAnswer(status, body: body, from: url)) else { return nil }
        self.init(code: error.code, isOfTime: error.isOfTime || Self.codesOfTime.contains(error.code))
    }

    /// How the stores say that a signature or its credentials are too old.
    private static let codesOfTime: Set<String> = [
        "ExpiredToken", "RequestExpired", "TokenRefreshRequired", "SecurityTokenExpired",
    ]
}

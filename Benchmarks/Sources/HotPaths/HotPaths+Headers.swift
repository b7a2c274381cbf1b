import FerryCore
import HTTPTypes

extension HotPaths {
    /// What is read of each answer.
    static var headers: [Measurement] {
        let now = Instant(seconds: 1_800_000_000)
        let fields: HTTPFields = [
            .eTag: "\"5f3b2c-80000000\"",
            .lastModified: "Fri, 15 Jan 2027 08:00:00 GMT",
            .date: "Fri, 15 Jan 2027 09:00:00 GMT",
        ]
        return [
            Measurement(name: "headers.content-range") {
                ContentRange("bytes 1073741824-2147483647/2147483648") == nil ? .min : 1
            },
            Measurement(name: "headers.validator") {
                Validator(fields, receivedAt: now).entityTag == nil ? .min : 1
            },
            Measurement(name: "headers.disposition") {
                ContentDisposition("attachment; filename=\"big image.iso\"; filename*=UTF-8''big%20image.iso")
                    == nil ? .min : 1
            },
            Measurement(name: "headers.url") {
                (try? HTTPURL(parsing: "https://example.org:8443/pub/images/big%20image.iso?v=3")) == nil
                    ? .min : 1
            },
        ]
    }
}

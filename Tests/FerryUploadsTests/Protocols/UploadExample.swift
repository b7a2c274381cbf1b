import FerryCore
import HTTPTypes
import Testing

@testable import FerryUploads

/// An upload as the tests of protocols need it.
enum UploadExample {
    static let now = Instant(seconds: 1_700_000_000)
    static let text = "https://up.example/files/"

    static func url(_ text: String = text) throws -> HTTPURL { try HTTPURL(parsing: text) }

    /// A file of so many bytes; with a handle it was created.
    static func record(
        _ length: Int64 = 100,
        at url: String = text,
        handle: String? = nil,
        name: String? = nil,
        offer: UploadOffer? = nil
    ) throws -> UploadRecord {
        var record = UploadRecord(url: try self.url(url), length: length, fileName: "a.bin")
        record.handle = try handle.map { UploadHandle(url: try self.url($0), name: name) }
        record.offer = offer
        return record
    }

    static func answer(
        _ status: Int,
        _ fields: HTTPFields = [:],
        _ body: String = "",
        from url: String = text
    ) throws -> UploadAnswer {
        UploadAnswer(status, fields, body: Array(body.utf8), from: try self.url(url))
    }

    static func part(_ range: Range<Int64>, of length: Int64 = 100, number: Int = 1) -> UploadPart {
        UploadPart(number: number, range: range, isLast: range.upperBound == length)
    }
}

extension UploadProtocol {
    /// Reads an answer at the time of the examples.
    func reading(_ answer: UploadAnswer, to step: UploadStep, of upload: UploadRecord) -> UploadReading {
        reading(answer, to: step, of: upload, at: UploadExample.now)
    }
}

extension UploadReading {
    /// The failure that an answer means; `nil` if it is none.
    var problem: Problem? { if case .failed(let problem) = self { problem } else { nil } }
    /// Its code.
    var code: TransferFailure.Code? { problem?.failure.code }
    /// Whether the failure may not happen again.
    var isTransient: Bool { if case .transient = problem?.disposition { true } else { false } }
    /// Whether the object is there.
    var isDone: Bool { if case .done = self { true } else { false } }
}

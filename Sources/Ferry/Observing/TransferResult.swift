public import FerryCore

/// The result of a completed transfer, by its kind.
public enum TransferResult: Hashable, Sendable {
    /// A finished file or stream.
    case download(CompletedDownload)
    /// The response to a request.
    case request(StoredResponse)
    /// What the server said of an uploaded file.
    case upload(StoredResponse)
}

extension Transfer {
    /// The result; `nil` unless the transfer is completed.
    public var result: TransferResult? {
        guard state == .completed else { return nil }
        switch work {
        case .download(let download): return .download(CompletedDownload(download, of: self))
        case .request(let request): return request.progress.response.map { .request($0) }
        case .upload(let upload):
            return upload.progress.result.map { result in
                .upload(StoredResponse(status: result.status, fields: result.fields, body: result.body))
            }
        }
    }
}

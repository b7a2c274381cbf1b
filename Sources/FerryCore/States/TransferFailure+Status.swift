extension TransferFailure.Code {
    /// The code of an answer that failed with a status. A status from 600 on has no class and counts as a server error
    /// (RFC 9110 §15).
    package init(status: Int) {
        self =
            switch status {
            case 401, 407: .notAuthorised
            case 403: .forbidden
            case 404: .notFound
            case 408: .timeout
            case 410: .gone
            case 429, 503: .serverOverloaded
            case 425, 500...: .serverError
            default: .refused
            }
    }
}

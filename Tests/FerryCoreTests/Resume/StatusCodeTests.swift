import FerryCore
import Testing

@Suite("Codes of statuses")
struct StatusCodeTests {
    private static func ofDownload(_ status: Int) throws -> TransferFailure.Code {
        let facts = ResponseFacts(ResponseHead(status: status, headers: [:], bodyLength: nil), at: .epoch)
        let url = try HTTPURL(parsing: "http://example.com/f")
        return StatusProblem.problem(for: facts, url: url, hasWorked: false).failure.code
    }

    private static func ofRequest(_ status: Int) throws -> TransferFailure.Code? {
        let url = try HTTPURL(parsing: "http://example.com/f")
        var machine = RequestMachine(RequestWork(try RequestSpecification(url: url)))
        _ = machine.handle(.begin, at: .epoch)
        _ = machine.handle(.recorded, at: .epoch)
        let answer = RequestMachine.Answer(StoredResponse(status: status, fields: [], body: []))
        guard case .finish(.failed(let problem), _)? = machine.handle(.answered(answer), at: .epoch).last
        else { return nil }
        return problem.failure.code
    }

    @Test("a status has one code, whether a request or a download gets it")
    func everyKindUsesTheTable() throws {
        for status in 100...999 {
            let code = TransferFailure.Code(status: status)
            let ofRequest = try Self.ofRequest(status)
            #expect(ofRequest == (status / 100 == 2 ? nil : code), "\(status)")
            // Without content, a success or a redirect is of no use to a download, and to ask again does not help
            // where the server lacks the method or the version of HTTP.
            let exception: TransferFailure.Code? =
                switch status {
                case 200..<400: .badResponse
                case 501, 505, 506: .refused
                default: nil
                }
            let ofDownload = try Self.ofDownload(status)
            #expect(ofDownload == exception ?? code, "\(status)")
        }
    }

    @Test("a status without a class counts as a server error")
    func unknownClassesAreServerErrors() {
        #expect(TransferFailure.Code(status: 600) == .serverError)
        #expect(TransferFailure.Code(status: 999) == .serverError)
    }
}

import FerryCore
import HTTPTypes
import Testing

@Suite("A request to a server")
struct TransportRequestTests {
    private func request(_ method: HTTPRequest.Method, _ headers: HTTPFields) throws -> TransportRequest {
        TransportRequest(method: method, url: try HTTPURL(parsing: "http://h/f"), headers: headers)
    }

    @Test(arguments: [HTTPField.Name.ifMatch, .ifNoneMatch, .ifUnmodifiedSince])
    func aChangeWithAConditionIsNotSentTwiceUnnoticed(_ condition: HTTPField.Name) throws {
        for method in [HTTPRequest.Method.put, .delete] {
            #expect(try request(method, [:]).isRepeatable)
            #expect(try !request(method, [condition: "*"]).isRepeatable, "\(method)")
        }
        #expect(try request(.get, [condition: "*"]).isRepeatable)
        var known = try request(.put, [condition: "*"])
        known.isRepeatable = true
        #expect(known.isRepeatable)
    }
}

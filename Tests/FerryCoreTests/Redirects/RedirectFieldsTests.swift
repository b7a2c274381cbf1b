import FerryCore
import HTTPTypes
import Testing

struct RedirectFieldsTests {
    @Test func sensitiveFieldsStayWithTheirOrigin() throws {
        let mine = try #require(HTTPField.Name("X-Mine"))
        var fields = HTTPFields()
        fields[.accept] = "a"
        fields[.authorization] = "b"
        fields[.cookie] = "c"
        fields[.proxyAuthorization] = "d"
        fields[.contentType] = "e"
        fields[mine] = "f"
        let apart = RedirectRules.carriedFields(
            fields,
            marked: [mine],
            dropsCredentials: true,
            dropsBody: false
        )
        #expect(Set(apart.map(\.name)) == [.accept, .contentType])
        let within = RedirectRules.carriedFields(
            fields,
            marked: [mine],
            dropsCredentials: false,
            dropsBody: true
        )
        #expect(Set(within.map(\.name)) == [.accept, .authorization, .cookie, .proxyAuthorization, mine])
        #expect(RedirectRules.carriedFields(fields, dropsCredentials: false, dropsBody: false) == fields)
    }
}

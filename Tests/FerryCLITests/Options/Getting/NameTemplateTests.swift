import Ferry
import Testing

@testable import FerryFrontend

@Suite struct NameTemplateTests {
    @Test(arguments: [
        ("{n:03}-{name}", "007-b.tar.gz"), ("{n}", "7"),
        ("{host}/{stem}_{n}.{ext}", "example.org/b.tar_7.gz"),
        ("{name}{name}", "b.tar.gzb.tar.gz"), ("{{n}}", "{7}"), ("{x}{n}{", "{x}7{"), ("a{n:1}b", "a7b"),
    ])
    func fillsIn(_ text: String, _ expected: String) throws {
        let url = try HTTPURL(parsing: "https://example.org/a/b.tar.gz?x=1")
        #expect(NameTemplate(text)?.path(for: url, number: 7) == expected)
    }

    @Test(arguments: ["", "plain", "{x}", "{}", "{n", "n}", "{n:0}", "{n:19}", "{n:x}", "{N}"])
    func takesOtherTextAsItIs(_ text: String) {
        #expect(NameTemplate(text) == nil)
    }

    @Test(arguments: [
        ("{ext}/{name}", "https://h/README", "_/README"), ("{ext}", "https://h/a.", "_"),
        ("{stem}.{ext}", "https://h/", "index.html"),
    ])
    func neverLeavesAFieldEmpty(_ text: String, _ url: String, _ expected: String) throws {
        let url = try HTTPURL(parsing: url)
        #expect(NameTemplate(text)?.path(for: url, number: 7).hasPrefix("/") == false)
        #expect(NameTemplate(text)?.path(for: url, number: 7) == expected)
    }

    /// A name from a server's URL cannot leave the directory.
    @Test func usesASafeName() throws {
        let url = try HTTPURL(parsing: "https://example.org/..%2F..%2Fetc%2Fpasswd")
        let path = try #require(NameTemplate("{n}-{name}")?.path(for: url, number: 1))
        #expect(!path.contains("/"))
    }
}

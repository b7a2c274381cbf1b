import FerryCore
import HTTPTypes
import Testing

/// What is made of a body in a content coding, by coding, name and media type.
@Suite struct ContentFormTests {
    private func form(
        _ coding: String?,
        type: String? = nil,
        length: Int64? = 10,
        names: [String] = ["file.bin"]
    ) -> ContentForm {
        var headers = HTTPFields()
        headers[.contentEncoding] = coding
        headers[.contentType] = type
        let head = ResponseHead(status: 200, headers: headers, bodyLength: length)
        return ContentForm(ResponseFacts(head, at: .epoch), names: names)
    }

    @Test(arguments: ["gzip", "x-gzip", " GZIP ", "identity, gzip", "gzip,", "aws-chunked,gzip"])
    func gzipIsDecoded(coding: String) {
        #expect(form(coding) == .decoded(.gzip))
        #expect(form(coding, type: "application/octet-stream") == .decoded(.gzip))
        #expect(form(coding, type: "application/x-tar", names: ["a.tar"]) == .decoded(.gzip))
        #expect(form("deflate") == .decoded(.deflate))
    }

    @Test(arguments: [nil, "", "identity", "IDENTITY", "none", "utf-8", "aws-chunked", "binary", " , "])
    func whatIsNoCodingIsNone(coding: String?) {
        #expect(form(coding) == .plain)
    }

    @Test(arguments: [
        ("gzip", "a.tar.gz"), ("gzip", "A.TGZ"), ("x-gzip", "a.gz"), ("gzip", "a.svgz"), ("deflate", "a.zz"),
        ("br", "a.br"), ("zstd", "a.zst"), ("compress", "a.Z"), ("x-compress", "a.Z"), ("xz", "a.xz"),
    ])
    func anArchiveByItsNameIsKept(coding: String, name: String) {
        #expect(form(coding, names: [name]) == .plain)
        // Any of the names counts: that of the user, of the server, and of the URL.
        #expect(form(coding, names: ["out.bin", name]) == .plain)
        #expect(form(coding, names: ["out.bin", "noextension", ""]) != .plain)
    }

    @Test(arguments: [
        ("gzip", "application/gzip"), ("gzip", "application/x-gzip"), ("gzip", "application/x-tgz"),
        ("gzip", "application/vnd.oci.image.layer.v1.tar+gzip"), ("gzip", "application/x-compressed-tar"),
        ("zstd", "application/zstd"), ("deflate", "application/zlib"),
    ])
    func anArchiveByItsMediaTypeIsKept(coding: String, type: String) {
        #expect(form(coding, type: type) == .plain)
    }

    @Test(arguments: ["br", "zstd", "compress", "rot13", "gzip, gzip", "br, gzip"])
    func whatCannotBeUndoneIsNamed(coding: String) throws {
        let name = coding.filter { $0 != " " }
        #expect(form(coding) == .unsupported(name))
        let url = try HTTPURL(parsing: "https://h.example/f?secret=1")
        let problem = ContentForm.problem(of: name, from: url)
        #expect(problem.failure.message.contains("'\(name)'") && problem.disposition == .permanent)
        #expect(!problem.failure.remedies.isEmpty == ["br", "zstd", "compress"].contains(name))
    }

    @Test func aStrangeNameOfACodingIsNotQuoted() throws {
        let url = try HTTPURL(parsing: "https://h.example/f")
        for name in ["a\u{1B}[2J", String(repeating: "x", count: 41), "ä"] {
            #expect(!ContentForm.problem(of: name, from: url).failure.message.contains(name))
        }
    }

    @Test func anEmptyBodyIsInNoCoding() {
        #expect(form("gzip", length: 0) == .plain && form("br", length: 0) == .plain)
        #expect(form("gzip", length: nil) == .decoded(.gzip))
    }
}

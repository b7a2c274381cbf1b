import HTTPTypes
import Testing

@testable import FerryCore

struct HTTPURLResourceTests {
    private static let oneHMAC = "Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4MDEyMzQ1Njc="
    private static let otherHMAC = "Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4MDEyMzQ1Njg="

    @Test(arguments: [
        ("https://h/get?file=rel-1.iso&token=x1", "https://h/get?file=rel-2.iso&token=x2"),
        ("https://h/get?a=1;key=2", "https://h/get?a=2;key=2"),
        ("https://h/x?id=1", "https://h/x?id=2"), ("https://h/x?e=1", "https://h/x?e=2"),
        ("https://h/x?e=1", "https://h/x"), ("https://h/x", "https://g/x"), ("https://h/x", "http://h/x"),
        ("https://h/x?session=1&v=1", "https://h/x?session=1&v=2"),
        ("https://h/dl?key=rel-a.bin", "https://h/dl?key=rel-b.bin"),
        ("https://h/x?code=1", "https://h/x?code=2"),
        ("https://h/x?date=1&token=a", "https://h/x?date=2&token=a"),
        ("https://h/x?sp=1&key=a", "https://h/x?sp=2&key=a"),
        ("https://h/x?f=1&token=a", "https://h/x?f=1&token=b"),
        ("https://h/x?token=a&expires=soon", "https://h/x?token=b&expires=soon"),
        ("https://h/file?sv=1&sig=abc&si=7", "https://h/file?sv=1&sig=abc&si=8"),
        (
            "https://h/x?md5=d41d8cd98f00b204e9800998ecf8427e&expires=1",
            "https://h/x?md5=e4d909c290d0fb1ca068ffaddf22cbd0&expires=1"
        ),
    ])
    func tellsFilesApart(one: String, other: String) throws {
        #expect(try HTTPURL(parsing: one).resource != HTTPURL(parsing: other).resource)
    }

    @Test(arguments: [
        ("https://h/x?f=1&token=a&expires=1", "https://h/x?token=b&f=1&expires=2"),
        ("https://u:p@h/x#a", "https://h/x"),
        (
            "https://b.s3.amazonaws.com/k?X-Amz-Date=1&X-Amz-Expires=60&X-Amz-Signature=a&X-Amz-Credential=c",
            "https://b.s3.amazonaws.com/k?X-Amz-Date=2&X-Amz-Expires=60&X-Amz-Signature=b&X-Amz-Credential=d"
        ),
        (
            "https://a.blob.core.windows.net/c/b?sp=r&sv=2024-11-04&sr=b&se=2&skt=3&rscd=f&sig=\(oneHMAC)",
            "https://a.blob.core.windows.net/c/b?sp=r&sv=2024-11-04&sr=b&se=9&skt=8&rscd=f&sig=\(otherHMAC)"
        ),
        ("https://h/x?Expires=1&Signature=a", "https://h/x?Expires=2&Signature=b"),
        (
            "https://h/x?md5=1B2M2Y8AsgTpgAmY7PhCfg&expires=1",
            "https://h/x?md5=5NkJwpDQ-xygaP_t3yLL0A&expires=2"
        ),
        ("https://h/x?hdnea=st=1~exp=2", "https://h/x?hdnea=st=2~exp=3"),
    ])
    func isTheSameUnderAnotherSignature(one: String, other: String) throws {
        #expect(try HTTPURL(parsing: one).resource == HTTPURL(parsing: other).resource)
    }

    @Test func aTagOfAnotherFileBehindTheSameSignatureProvesNothing() throws {
        let tag: [(HTTPField.Name, String)] = [(.eTag, "\"1\"")]
        var known = Answers.known(tag)
        known.source = try HTTPURL(parsing: "https://h/get?file=rel-1.iso&token=x1&expires=1").resource
        let head = ResponseHead(
            status: 206,
            headers: [
                .eTag: "\"1\"", .contentRange: "bytes 100000-199999/200000", .contentType: "application/zip",
            ],
            bodyLength: 100_000
        )
        for (file, isProof) in [("rel-1.iso", true), ("rel-2.iso", false)] {
            let url = try HTTPURL(parsing: "https://h/get?file=\(file)&token=x2&expires=2")
            let facts = ResponseFacts(head, from: url, at: Answers.now)
            let verdict = Answers.judge(facts, known)
            if case .proceed = verdict { #expect(isProof) } else { #expect(!isProof, "\(verdict)") }
        }
    }
}

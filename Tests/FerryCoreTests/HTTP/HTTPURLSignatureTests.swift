import Testing

@testable import FerryCore

/// Which parameters of a query a signature adds.
struct HTTPURLSignatureTests {
    /// An HMAC of Azure Storage, percent-encoded, and as some programs leave it.
    private static let sas = "Zm9vYmFyYmF6cXV4Zm9vYmFy%2B2F6cXV4MDEyMzQ1Njc%3D"
    private static let bareSAS = "Zm9vYmFyYmF6cXV4Zm9vYmFy/2F6cXV4MDEyMzQ1Njc="

    private func bare(_ text: String, ignoring names: [String] = []) throws -> String {
        try HTTPURL(parsing: text).withoutSignature(ignoring: names).absoluteString
    }

    @Test(arguments: [
        "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=A%2Fs3&X-Amz-Date=1&X-Amz-Expires=60"
            + "&X-Amz-SignedHeaders=host&X-Amz-Security-Token=t&X-Amz-Signature=a&X-Amz-Content-Sha256=u",
        "x-amz-signature=a&x-amz-date=1",
        "AWSAccessKeyId=A&Signature=b%3D&Expires=9&x-amz-security-token=t",
        "Expires=9&Signature=b&Key-Pair-Id=K", "Policy=p&Signature=b&Key-Pair-Id=K&Hash-Algorithm=SHA256",
        "X-Goog-Algorithm=g&X-Goog-Credential=c&X-Goog-Date=1&X-Goog-Expires=2&X-Goog-SignedHeaders=host"
            + "&X-Goog-Signature=a",
        "GoogleAccessId=i&Expires=9&Signature=b",
        "OSSAccessKeyId=A&Expires=9&Signature=b&security-token=t",
        "x-oss-signature-version=OSS4&x-oss-credential=c&x-oss-date=1&x-oss-expires=2&x-oss-signature=a"
            + "&x-oss-additional-headers=h&x-oss-security-token=t",
        "sv=2024-11-04&ss=b&srt=o&sp=r&se=2030&st=2029&spr=https&sip=1.2.3.4&sig=\(sas)",
        "skoid=1&sktid=2&skt=3&ske=4&sks=b&skv=5&sv=2024-11-04&spr=https&se=7&sr=b&sp=r&saoid=8&scid=9&sig=\(sas)",
        "sv=2024-11-04&sr=b&si=policy&sig=\(sas)", "SV=2024-11-04&sr=b&se=7&sp=r&SIG=\(bareSAS)",
        "signature=a&expires=2026-11-23T05%3A40%3A18Z",
        "Signature=a&Expires=9", "%53ignature=a&expires=9",
    ])
    func dropsWhatASignatureAdds(_ query: String) throws {
        #expect(try bare("https://h/f?\(query)") == "https://h/f")
        #expect(try bare("https://h/f?versionId=3&\(query)&part=1") == "https://h/f?versionId=3&part=1")
    }

    @Test(arguments: [
        "id=1&token=2", "Expires=9", "Policy=p", "sv=1&sr=b", "sig=1", "X-Amz-Date=1", "AWSAccessKeyId=A",
        "Signature=a", "signature=1;file=A", "X-Amz-Signature=1;v=A", "token=1&expires=2", "versionId=1",
        "response-content-type=a", "signatures=1", "", "&&", "a", "se=1&sp=2",
        "sv=1&sig=abc&si=7", "sv=1&sig=\(sas)&sr=b&si=7", "sv=2024-11-04&sig=abc&sr=b&si=7",
        "sv=2024-11-04&sig=\(sas)&si=7", "sv=2024-11-04&sig=\(sas)&se=7&sp=r", "sv=2024-11-04&sig=\(sas)",
        "sv=2024-11-04&sig=\(sas)&ss=b&se=7&sp=r", "sv=2024-11-04T&sig=\(sas)&sr=b&si=7",
        "sv=2024-11-04&sv=2&sig=\(sas)&sr=b&si=7", "sv&sig&sr&si", "signature=a&expires=never",
        "signature=a&expires", "signature=a&expires=",
    ])
    func keepsWhatMaySayWhichFileIsMeant(_ query: String) throws {
        #expect(try bare("https://h/f?\(query)") == "https://h/f?\(query)")
    }

    @Test func dropsWhatIsToBeIgnored() throws {
        #expect(
            try bare("https://u:p@h/f?id=1&Token=2&t=3#x", ignoring: ["token", "T"])
                == "https://u:p@h/f?id=1#x"
        )
        #expect(try bare("https://h/f?TOKEN", ignoring: ["token"]) == "https://h/f")
        #expect(try bare("https://h/f", ignoring: ["token"]) == "https://h/f")
    }

    @Test func anotherSignatureIsTheSameDownload() throws {
        func identity(_ query: String, to name: String = "f", ignoring names: [String] = []) throws -> String
        {
            var options = DownloadOptions()
            options.ignoredQuery = names
            return DownloadSpecification(
                url: try HTTPURL(parsing: "https://h/f\(query)"),
                destination: .file(directory: "/", name: try FileName(userGiven: name)),
                options: options
            ).identity
        }
        let signed = try identity("?versionId=1&X-Amz-Signature=a&X-Amz-Date=1")
        #expect(try identity("?versionId=1&X-Amz-Signature=b&X-Amz-Date=2") == signed)
        #expect(try identity("?versionId=1") == signed)
        #expect(try identity("?versionId=2&X-Amz-Signature=a&X-Amz-Date=1") != signed)
        #expect(try identity("?versionId=1&X-Amz-Signature=a&X-Amz-Date=1", to: "g") != signed)
        #expect(try identity("?id=1&token=a") != identity("?id=1&token=b"))
        let ignoring = try identity("?id=1&token=a", ignoring: ["token"])
        #expect(try identity("?id=1&token=b", ignoring: ["token"]) == ignoring)
    }
}

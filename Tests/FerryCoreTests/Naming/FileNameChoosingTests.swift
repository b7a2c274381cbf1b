import FerryCore
import Testing

struct FileNameChoosingTests {
    @Test(arguments: [
        ("https://h/a/b.iso?x=y", "b.iso"), ("https://h/", "index.html"), ("https://h", "index.html"),
        ("https://h/a/", "index.html"), ("https://h/..%2F..%2Fetc%2Fpasswd", "passwd"),
        ("https://h/%2e%2e", "index.html"),
        ("https://h/%2Ebashrc", "bashrc"), ("https://h/a%00b", "ab"), ("https://h/%C3%BC", "ü"),
        ("https://h/%FF", "%FF"),
        ("https://h/x%2F", "index.html"), ("https://h/CON", "_CON"), ("https://h/~", "index.html"),
        ("https://h/a.pdf;jsessionid=SECRET", "a.pdf"), ("https://h/;sid=SECRET", "index.html"),
        ("https://h/a;b", "a;b"),
    ])
    func takesTheNameFromTheURL(url: String, expected: String) throws {
        #expect(try FileName.fromURL(HTTPURL(parsing: url)).rawValue == expected)
    }

    @Test(
        arguments: [
            ("mine", "attachment; filename=theirs", "mine"),
            (nil, "attachment; filename=theirs", "theirs"),
            (nil, "attachment; filename=\"../../theirs\"", "theirs"),
            (nil, "attachment; filename=\"..\"", "fromurl"),
            (nil, "attachment; filename=x; filename*=UTF-8''..%2F", "fromurl"),
            (nil, "attachment; filename=x; filename*=KOI8''%F0", "x"),
            (nil, "attachment", "fromurl"),
            (nil, nil, "fromurl"),
        ] as [(String?, String?, String)]
    )
    func choosesByRank(user: String?, disposition: String?, expected: String) throws {
        let chosen = FileName.choose(
            userGiven: try user.map { try FileName(userGiven: $0) },
            contentDisposition: disposition.flatMap { ContentDisposition($0) },
            url: try HTTPURL(parsing: "https://h/dir/fromurl")
        )
        #expect(chosen.rawValue == expected)
    }
}

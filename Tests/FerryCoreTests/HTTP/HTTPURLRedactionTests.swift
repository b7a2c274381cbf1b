import Testing

@testable import FerryCore

struct HTTPURLRedactionTests {
    @Test(arguments: [
        "https://b.s3.amazonaws.com/k?X-Amz-Algorithm=geheim&X-Amz-Signature=geheim&x=geheim",
        "https://b.oss.example/k?OSSAccessKeyId=geheim&Expires=1&Signature=geheim",
        "https://b.oss.example/k?x-oss-signature=geheim",
        "https://storage.googleapis.com/b/k?X-Goog-Signature=geheim&X-Goog-Expires=1",
        "https://a.blob.core.windows.net/c/b?sv=1&se=2&sp=r&sig=geheim",
        "https://d.cloudfront.net/x?Policy=geheim&Signature=geheim&Key-Pair-Id=geheim",
        "https://h/x?hdnea=geheim",
        "https://h/x?a=1&amp;TOKEN=geheim",
        "https://h/x?a=1;token=geheim",
        "https://h/x?tok%65n=geheim",
        "https://h/x?access_token=geheim&y",
        "https://h/x?token&geheim",
        "https://h/x?api_key=geheim", "https://h/x?apikey=geheim", "https://h/x?key=geheim",
        "https://h/x?password=geheim", "https://h/x?client_secret=geheim", "https://h/x?auth=geheim",
        "https://h/x?authkey=geheim", "https://h/x?passkey=geheim&torrent_pass=geheim",
        "https://h/x?ticket=geheim",
        "https://h/x?bearer=geheim&rlkey=geheim", "https://h/x?code=geheim",
        "https://geheim:geheim@h/x#geheim", "https://h/x?token==geheim=geheim",
        "https://h/x;jsessionid=geheim", "https://h/a;v=1;tok%65n=geheim/b;TOKEN=geheim?page=1",
        "https://h/x?license_key=geheim", "https://h/x?PHPSESSID=geheim", "https://h/x?sessid=geheim",
        "https://h/x?pw=geheim&passphrase=geheim&passcode=geheim", "https://h/x?otp=geheim&pin=geheim",
        "https://h/x?tok=geheim", "https://h/x?my_key=geheim&subscription-key=geheim",
        "https://h/x?SAMLResponse=geheim&authcode=geheim&hmacsha256=geheim",
        "https://h/x?geheim", "https://h/x?geheim==", "https://h/x?geheim=", "https://h/x?a=1&geheim&b=2",
        "https://h/x?whatever=geheim", "https://h/x?page=geheim/geheim",
        "https://h/x?lang=geheimgeheimgeheim",
        "https://h/bot123:geheim_geheim-geheim/getFile", "https://h/123:geheimgeheimgeheim",
        "https://h/file/bot9%3Ageheimgeheimgeheim;v=1/a", "https://h/v1/token/geheim/x.iso",
        "https://h/apikey/geheim",
        "https://h/TOK%45N/geheim.geheim.geheim", "https://h/key/geheim1234.bin",
        "https://h/a/secret/geheim;v=1/b",
        "https://h/https://u:geheim@h/", "https://h/https:/geheim@h/x", "https://h/p/u:geheim@h",
        "https://h/https%3A%2F%2Fu%3Ageheim%40h%2Fx", "https://h/http%253A%252F%252Fgeheim%2540h",
        "https://h/https%3A%2F%2Fh%2Fx%3Fwhatever%3Dgeheim%26x%3Dgeheim", "https://h/x%3Ba%3Dgeheim",
        "https://h/password/geheim", "https://h/pass/geheim", "https://h/auth/geheim", "https://h/sig/geheim",
        "https://h/signature/geheim/f", "https://h/jwt/geheim.geheim.geheim", "https://h/session/geheim",
        "https://h/sas/geheim", "https://h/tokens/geheim", "https://h/Token=geheim/",
        "https://h/token=/geheim",
        "https://h/access_token%2Fgeheim/", "https://h/token%252Fgeheim", "https://h/access_token%3Dgeheim",
        "https://h/a/Access-Token%3ageheim/b", "https://h/token//geheim", "https://h/token;v=1/geheim",
        "https://h/v=1,sig=geheim/x", "https://h/v=1&sig=geheim/x", "https://h/auth/token/geheim",
        "https://h/secrets%5Cgeheim", "https://h/auth/geheim.html.geheim",
        "https://h/sessions/geheim20240131.pdf", "https://h/token/geheim1-geheim2-geheim3.zip",
        "https://h/password/geheim.geheim", "https://h/password/geheim1.x", "https://h/auth/geheim!.txt",
        "https://h/auth/geheim.iso/", "https://h/auth/.geheim", "https://h/token/geheimgeheimgeheim.zip",
        "https://h/token/geheim-1234-5678-9012-3456.zip", "https://h/key/geheim-qWeRtYuI.pem",
        "https://h/x?geheim@geheim:1=1", "https://h/x;geheim", "https://h/x;a=geheim;b=geheim/y",
    ])
    func masksSecrets(text: String) throws {
        let url = try HTTPURL(parsing: text)
        for shown in [url.redacted, "\(url)", String(reflecting: url), "\([url])", "\(Optional(url) as Any)"]
        {
            #expect(!shown.contains("geheim"))
        }
        var dumped = ""
        dump(url, to: &dumped)
        #expect(!dumped.contains("geheim"))
        #expect(url.absoluteString.contains("geheim"))
    }

    @Test(arguments: [
        "pin=1234", "pin=123", "otp=123456", "code=42", "license_key=12", "cvv=123", "x=12345",
        "keyring=1", "a.pin.b=1", "sms-OTP=1", "p%69n=1", "SESSION_=1", "mytoken=1", "myapi-key2=1",
    ])
    func masksNumbersThatMayBeSecret(query: String) throws {
        let shown = try HTTPURL(parsing: "https://h/x?\(query)").redacted
        #expect(shown == "https://h/x?\(query.prefix { $0 != "=" })=…")
    }

    @Test func masksSecretsOfRedirectTargets() throws {
        let here = try HTTPURL(parsing: "https://h/x")
        let target = try here.resolving("http://h/y;sid=geheim?SAMLResponse=geheim&pin=geheim#geheim")
        for refusal in [RedirectRules.Refusal.loop(target), .downgrade(to: target)] {
            #expect(!"\(refusal)".contains("geheim"))
        }
    }

    @Test func leavesHarmlessPathsReadable() throws {
        for text in [
            "https://h/a;v=1/b", "https://h/;", "https://h/a=b/c:d", "https://h/auth/login.html",
            "https://h/auth/login/x", "https://h/auth/file1.bin", "https://h/auth/ubuntu-24.04.1-amd64.iso",
            "https://h/keys/backup-20240131.tar.gz", "https://h/auth/Win11_24H2_English_x64.iso",
            "https://h/key/MyCVFinalDraft.pdf", "https://h/pass/python-3.12.1-cp312-cp312-linux_x86_64.whl",
            "https://h/session/My%20Notes%20(2).PDF",
            "https://h/sessions/2024.pdf", "https://h/keys/release-2024.gpg", "https://h/100%25%20sure.mp3",
            "https://h/@scope/package@1.2.3", "https://h/What%3F.mp3", "https://h/Key,%20The/first",
            "https://h/https://h/x",
            "https://h/tokenizers/3fa9", "https://h/C:/icon@2x.png", "https://h/design/3fa9",
        ] {
            #expect(try HTTPURL(parsing: text).redacted == text)
        }
        #expect(try HTTPURL(parsing: "https://h/a;token=s;v=2/b").redacted == "https://h/a;token=…;v=2/b")
        #expect(try HTTPURL(parsing: "https://h/a;secret/b;=x").redacted == "https://h/a;…/b;…")
    }

    @Test func masksOnlyTheTokenInAPath() throws {
        for (text, shown) in [
            ("https://h/bot123:AAE-abc_DEF0123456789/f.jpg", "https://h/bot123:…/f.jpg"),
            ("https://h/token/3fa9/f.iso", "https://h/token/…/f.iso"), ("https://h/key/", "https://h/key/"),
            ("https://h/secret/notes.txt", "https://h/secret/notes.txt"),
            ("https://h/tokens/3fa9", "https://h/tokens/…"), ("https://h/pw/3fa9", "https://h/pw/…"),
            ("https://h/eyJhbGciOiJub25lIn0.eyJzdWIiOiJtZSJ9.c2ln/f.bin", "https://h/…/f.bin"),
            ("https://h/eyJhbGciOiJub25lIn0.eyJzdWIiOiJtZSJ9.", "https://h/…"),
            ("https://h/eyJ.iso", "https://h/eyJ.iso"),
            ("https://h/a=b/token=d", "https://h/a=b/token=…"),
            ("https://h/https://u:p@g/x", "https://h/https://…@g/x"),
            ("https://h/q%3Fx%3D1%23y%20%252e", "https://h/q%3F…%23…"),
            ("https://h/u%3Ap%40g", "https://h/…%40g"),
            ("https://h/access_token%2Fx/y", "https://h/access_token%2F…/y"),
            ("https://h/Token%3Dx;v=2/y", "https://h/Token%3D…;v=2/y"),
            ("https://h/auth/token/x", "https://h/auth/…/…"),
            ("https://h/token/9f86d081.zip", "https://h/token/…"),
            ("https://h/password/P4ssw0rd.txt", "https://h/password/…"),
            ("https://h/session/qwZXcvbNmLkJ.gz", "https://h/session/…"),
            ("https://h/auth/123456789.pdf", "https://h/auth/…"),
            ("https://h/keynote/3fa9", "https://h/keynote/3fa9"),
            ("https://h/10:30/f", "https://h/10:30/f"),
            ("https://h/16:9-wide.mp4", "https://h/16:9-wide.mp4"),
            ("https://h/sha256:0123456789abcdef0123", "https://h/sha256:0123456789abcdef0123"),
            ("https://h/0123456789abcdef0123456789abcdef", "https://h/0123456789abcdef0123456789abcdef"),
        ] {
            let url = try HTTPURL(parsing: text)
            #expect(url.redacted == shown)
            #expect(url.withoutSecrets.redacted == shown, "what was dropped is shown as it was before")
        }
    }

    @Test func leavesHarmlessQueriesReadable() throws {
        #expect(
            try HTTPURL(parsing: "https://h:1/x?page=2&sort=up#f").redacted == "https://h:1/x?page=2&sort=up"
        )
        for query in [
            "lang=en-US&id=42", "download", "arch=x86_64&v=1.2.3&n=7", "format=", "",
            "pi=1&ke=2&cod=3&p.i.n=4&nip=1&tot=2&sess_ion=3",
        ] {
            #expect(try HTTPURL(parsing: "https://h/x?\(query)").redacted == "https://h/x?\(query)")
        }
        #expect(
            try HTTPURL(parsing: "https://h/x?a=1&Signature=b&c").redacted == "https://h/x?a=1&Signature=…&…"
        )
    }

    @Test(arguments: [
        ("https://h/k?X-Amz-Signature=a&X-Amz-Expires=1", true),
        ("https://h/k?X-Goog-Signature=a", true),
        ("https://h/k?x-oss-signature=a", true),
        ("https://h/k?OSSAccessKeyId=a&Expires=1&Signature=b", true),
        ("https://h/k?Policy=a&Signature=b&Key-Pair-Id=c", true),
        ("https://h/k?sv=1&se=2&sp=r&sig=c", true),
        ("https://h/k?hdnea=exp=1~hmac=2", true),
        ("https://h/k?token=a&expires=1", true),
        ("https://h/k?token=a", false),
        ("https://h/k?expires=1", false),
        ("https://h/k?signature", false),
        ("https://h/k?AWSAccessKeyId=a&Signature=b", true), ("https://h/k?q-signature=a", true),
        ("https://h/k?sig=a&se=2;x", true), ("https://h/k?sign=a&t=1", true),
        ("https://h/k?%58-Amz-Sign%61ture=a", true),
        ("https://h/k#X-Amz-Signature=a", false),
        ("https://h/k", false),
    ])
    func recognisesPresignedURLs(text: String, isSigned: Bool) throws {
        #expect(try HTTPURL(parsing: text).isSigned == isSigned)
    }
}

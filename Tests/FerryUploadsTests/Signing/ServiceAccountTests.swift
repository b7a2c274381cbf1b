import Crypto
import CryptoExtras
import FerryCore
import Testing

@testable import FerryUploads

/// Signatures with the RSA key of a service account of Google.
struct ServiceAccountTests {
    /// A key that was made for these tests. Making one takes long without optimization.
    private let pem = """
        -----BEGIN PRIVATE KEY-----
        MIIEvgIBADANBgkqhkiG9w0BAQEFAASCBKgwggSkAgEAAoIBAQC7uVfuk4x0G+1G
        GLvLRsRy/ZheRwifUKW1PUwBd5/bu0u/HULvr601m5MCvAaWdzvvNKx6OGIFLxLQ
        2pNGhx9ZzjMq7q2RNM+zHunr98nPTMgffFkgKJoW3Pg2HGFDFDXjM/aVtdErugux
        5Y+zjUxdJS53ikOcGQ3GOGR7mSjSggmFUPAXlkT+rQ5YtcnhEj3HrrNAwOrz3cnr
        yt+WPCXIRBL4tmmVYtC8DusWXLzaPXcNK3powptmkJBfs3posyShy4UJesJINvh/
        UzxJSDyhQcL+6GMcHzRXmLtisMDy6rO+hiLl9bz3Jv0OAmbplEk23zheudM2yZaO
        dbHOo3wnAgMBAAECggEATC+Q2cDlCDxLRB8GnB2Y3chA3cY7YBjlX5REc/X+GTm+
        qI3yG/9yruZ4N+xiSg+S8eYxN5sJYOw1WTDUA5QUK6jNSFe8dkl2H85khkE2lJyn
        PWwEadJAkxXT4HYNHSGnKxHsOd8jyHjFhUnS0759JvJPlPE2tjPOzMsXMLg8go3T
        FRg0c2DR/24/zCi74rnf49UAFThuzmVmEXcorFXvzBuZILk3u5Jo1FSi9Bhi7SWm
        bhMohuJ7GeXyO3pTfFLJ6/yrafjH3WOmG8TnqRwSt+7qPC8YhxfBNvtSkjm0lOZa
        irXC7E8kHspPYWOh0Nch5a4kYhKJGOoi7pQM7szweQKBgQD9AxB5IgI8RGP7OuZY
        kRgWYg9bxS8tFx2fEhIb2hwhR6owVGjcKB3iNbgeCxBSW1zRvDO0mHkUPwgWevSt
        GBCnRzLuBi4zkvLHsPUBtUo6dVDvFdGnHe4hPS3UMnZlq1sqYADINXIWiM8a1OB6
        cblGvmYAApW4yuBOsSlrYYHmmQKBgQC98OSQqXYgLmm/zbr11E2xUhqjaq6hdyqz
        n15CfG+EvXmnYy6R8qGj7dFAeCOe0QzHwc4nRBcEKiVVO5c/olG0eTFkWICO0mpa
        iTP05yAnmmLLnOKAn9Sko9esnrmGAPUXFO9lYdWZBixH7Gb08DxFvwAEZcHUp8uo
        FA32hXHwvwKBgEdKL8AR5xNYKdvGEtVtvJ3B75XqD4ri8oO5scSLRlXSPY/0mL8/
        xnvQqxo7/9NUzuiB4QfH1oXv5LWA26RSHY8krqMGtsntY98Ea2SZ0lp6Z92WBkbS
        ViCjfmBF/7pR+BQOjOnctVLIJaLnzIBzvsLCLzddgxZYg69ol8Ub6mAxAoGBAJQM
        EXuYOpR22MJBjvpRkoUl49GAM8Fy6vu6unPEHgAu14Xazs+/eLIXicRgYBNIClgg
        /Zipf+8lEphOrGNTF7A9znvSZ9HqvC75RmAbTnrP4TWngPyUl+AEPPU1epGyaVam
        YLp6+Uwe/aDJ6K3+GlyatV64Gc6xQxItH30JInhtAoGBAPfys8YEXkCj9v0hyueQ
        L0475nJ6QixckFktBsSrGreNhpxd6GU6mLgFU38tptvmyInEHKQ4R2YUTUMoQ8/P
        seFbQgdJn0Ox2OdpY8oDjcJEkQCtGthIs4GL24HmHJqf0Qf3rVebZcTzDUBLE0Qw
        OoP4l8DTbTr4DNcJdrKOYgQq
        -----END PRIVATE KEY-----
        """
    private let address = "account@project.iam.gserviceaccount.com"

    private func url(_ name: String, _ credentials: ObjectStoreCredentials) throws -> HTTPURL {
        let presigner = Presigner(
            credentials,
            addressing: ObjectStoreAddressing(region: name.hasPrefix("gs") ? nil : "r")
        )
        return try presigner.url(
            .get,
            ObjectName(parsing: name),
            lifetime: .seconds(10),
            at: Instant(seconds: 1_549_011_600)
        )
    }

    @Test func theirPublicKeyVerifiesThem() throws {
        let key = try _RSA.Signing.PrivateKey(pemRepresentation: pem)
        for pem in [pem, key.pemRepresentation] {
            let account = ObjectStoreCredentials(serviceAccount: address, privateKey: pem)
            let signed = try url("gs://test-bucket/test-object", account)
            let mark = "&X-Goog-Signature="
            let parts = try #require(signed.query).split(separator: mark)
            #expect(
                parts[0] == "X-Goog-Algorithm=GOOG4-RSA-SHA256&X-Goog-Credential=account%40project"
                    + ".iam.gserviceaccount.com%2F20190201%2Fauto%2Fstorage%2Fgoog4_request"
                    + "&X-Goog-Date=20190201T090000Z&X-Goog-Expires=10&X-Goog-SignedHeaders=host"
            )
            let canonical =
                "GET\n/test-bucket/test-object\n\(parts[0])\nhost:storage.googleapis.com\n\nhost\nUNSIGNED-PAYLOAD"
            let text = "GOOG4-RSA-SHA256\n20190201T090000Z\n20190201/auto/storage/goog4_request\n"
            let digest = SHA256.hash(data: Array((text + SigningKey.digest(canonical)).utf8))
            let bytes = stride(from: 0, to: parts[1].utf8.count, by: 2).map { place in
                UInt8(parts[1].dropFirst(place).prefix(2), radix: 16) ?? 0
            }
            let signature = _RSA.Signing.RSASignature(rawRepresentation: bytes)
            #expect(key.publicKey.isValidSignature(signature, for: digest, padding: .insecurePKCS1v1_5))
        }
    }

    @Test func otherKeysAndOtherStoresAreRefused() throws {
        let elliptic = P256.Signing.PrivateKey().pemRepresentation
        for key in ["", "no key", elliptic] {
            let account = ObjectStoreCredentials(serviceAccount: address, privateKey: key)
            #expect(throws: SigningRefusal.invalidPrivateKey) { try url("gs://bucket/key", account) }
        }
        let account = ObjectStoreCredentials(serviceAccount: address, privateKey: pem)
        #expect(throws: SigningRefusal.serviceAccountUnsupported(.s3)) { try url("s3://bucket/key", account) }
        #expect("\(account)" == "service account")
    }
}

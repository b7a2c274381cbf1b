import FerryCore
import HTTPTypes
import Testing

/// All digests here are of the nine digits `123456789`.
struct VolunteeredDigestTests {
    private static let sha256Hex = "15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225"
    private static let md5 = "JfnnlDI7RTiF9RgfG2JNCw=="
    private static let md5Hex = "25f9e794323b453885f5181f1b624d0b"
    private static let sha1 = "98O8HYCOBHMq32eZZczDTKeuNEE="
    private static let crc32c = "4waSgw=="
    private static let crc64nvme = "rosUhgp5mIg="

    private static func digests(_ lines: [String], status: Int = 200) throws -> [VolunteeredDigest] {
        var fields = HTTPFields()
        for line in lines {
            let line = try HeaderLine(parsing: line)
            fields.append(HTTPField(name: line.name, value: line.value))
        }
        return VolunteeredDigest.all(in: ResponseHead(status: status, headers: fields, bodyLength: 9))
    }

    private static func written(_ digests: [VolunteeredDigest]) -> [String] {
        digests.map { "\($0.checksum.algorithm.shortName)=\($0.checksum.hex)" }
    }

    @Test(arguments: [
        ("Repr-Digest: md5=:\(md5):", "md5=\(md5Hex)"),
        ("Content-Digest: md5=:\(md5):", "md5=\(md5Hex)"),
        ("Repr-Digest: sha=:\(sha1):", "sha1=f7c3bc1d808e04732adf679965ccc34ca7ae3441"),
        (
            "Repr-Digest: a, b=1, md5=:\(md5):;x=\"),\\\"\", c=(tok 1.5 ?1 :AA==:;y @-5);z, d=%\"%c3%bc\"",
            "md5=\(md5Hex)"
        ),
        ("Repr-Digest: md5=:AAAA:,   md5=:\(md5.dropLast(2)):  ", "md5=\(md5Hex)"),
        ("Digest: MD5=\(md5)", "md5=\(md5Hex)"),
        ("Digest: unixsum=30637 , md5 = \(md5)", "md5=\(md5Hex)"),
        ("Digest: CRC32c=306928", "crc32c=00306928"),
        ("Content-MD5:  \(md5)", "md5=\(md5Hex)"),
        ("X-Goog-Hash: crc32c=\(crc32c)", "crc32c=e3069283"),
        ("x-goog-hash: md5=\(md5)", "md5=\(md5Hex)"),
        ("x-amz-checksum-crc32c: \(crc32c)", "crc32c=e3069283"),
        ("x-amz-checksum-crc32: y/Q5Jg==", "crc32=cbf43926"),
        ("x-amz-checksum-crc64nvme: \(crc64nvme)", "crc64nvme=ae8b14860a799888"),
        ("x-amz-checksum-sha1: \(sha1)", "sha1=f7c3bc1d808e04732adf679965ccc34ca7ae3441"),
        ("x-oss-hash-crc64ecma: 11051210869376104954", "crc64ecma=995dc9bbdf1939fa"),
        ("x-oss-hash-crc64ecma: 1", "crc64ecma=0000000000000001"),
    ])
    func isReadFromItsField(line: String, expected: String) throws {
        #expect(try Self.written(Self.digests([line])) == [expected])
    }

    @Test(arguments: [
        // Not a digest, although it looks like one.
        "ETag: \"\(md5Hex)\"", "x-amz-meta-md5: \(md5)", "x-amz-checksum-xxhash3: \(crc32c)",
        // Of another length or alphabet.
        "Repr-Digest: sha-256=:\(md5):", "Digest: SHA-256=\(sha256Hex)", "Content-MD5: \(md5Hex)",
        "Content-MD5: \(md5.dropLast(3))-=", "x-goog-hash: crc32c=4waS", "Digest: crc32c=123456789",
        "Digest: crc32c=", "x-oss-hash-crc64ecma: 18446744073709551616", "x-oss-hash-crc64ecma: -1",
        "x-oss-hash-crc64ecma: 0x1", "x-oss-hash-crc64ecma:", "Content-MD5: ====", "Content-MD5: \(md5)==",
        // One mistake, and a structured field counts for nothing.
        "Repr-Digest: md5=:\(md5):,", "Repr-Digest: md5=\(md5)", "Repr-Digest: md5=:\(md5)",
        "Repr-Digest: MD5=:\(md5):", "Repr-Digest: md5=:\(md5): x", "Repr-Digest: md5=:\(md5):, a=\"",
        "Repr-Digest: md5=:\(md5):;", "Repr-Digest: md5=:\(md5):, a=(1", "Repr-Digest: md5=:\(md5):, a=1.",
        "Repr-Digest: md5=:\(md5):, a=%\"%C3\"", "Repr-Digest: md5=:\(md5):, a=?2",
        "Repr-Digest: ,md5=:\(md5):",
        "Repr-Digest: md5=:\(md5):, a=1234567890123456", "Repr-Digest: md5=:\(md5):, a=(1\t2)",
        // Of a key given twice, the last value counts.
        "Repr-Digest: md5=:\(md5):, md5=1",
        // No specification says how to read these bytes.
        "Repr-Digest: crc32c=:\(crc32c):",
        // Of parts, each on its own.
        "x-amz-checksum-crc32c: \(crc32c)-7",
    ])
    func whatIsNoDigestOfTheFileIsNotTaken(line: String) throws {
        #expect(try Self.digests([line]) == [])
    }

    @Test func theLinesOfAFieldAreOne() throws {
        let two = try Self.digests(["Repr-Digest: sha=:\(Self.sha1):", "repr-digest: md5=:\(Self.md5):"])
        #expect(two.map(\.checksum.algorithm) == [.sha1, .md5])
        let google = try Self.digests(["x-goog-hash: crc32c=\(Self.crc32c)", "x-goog-hash: md5=\(Self.md5)"])
        #expect(google.map(\.checksum.algorithm) == [.crc32c, .md5])
        #expect(try Self.digests(["Content-MD5: \(Self.md5)", "Content-MD5: \(Self.md5)"]) == [])
        #expect(try Self.digests(["Repr-Digest: sha=:\(Self.sha1):", "Repr-Digest: !"]) == [])
    }

    @Test func ofAPartOnlyWhatSpeaksOfTheWholeIsOfTheFile() throws {
        let lines = [
            "Repr-Digest: md5=:\(Self.md5):", "Content-Digest: sha=:\(Self.sha1):",
            "Digest: SHA=\(Self.sha1)",
            "Content-MD5: \(Self.md5)", "x-goog-hash: crc32c=\(Self.crc32c)",
            "x-amz-checksum-crc32c: \(Self.crc32c)",
            "x-amz-checksum-sha1: \(Self.sha1)", "x-oss-hash-crc64ecma: 11051210869376104954",
        ]
        let whole = try Self.digests(lines)
        #expect(Set(whole.map(\.source)).count == lines.count)
        #expect(whole.allSatisfy { $0.subject == .file })
        let part = try Self.digests(lines, status: 206)
        #expect(
            part.filter { $0.subject == .file }.map(\.source) == [
                .reprDigest, .digest, .googleHash, .alibabaCRC64,
            ]
        )
        #expect(part.filter { $0.subject == .part }.map(\.source) == [.contentDigest])
        for status in [204, 301, 304, 404, 412, 416, 500] {
            #expect(try Self.digests(lines, status: status) == [])
        }
    }

    @Test(
        arguments: [
            ([], [], true), (["identity"], [], true), (["gzip"], ["gzip"], true),
            (["GZIP"], [" gzip "], true),
            (["gzip"], [], false), ([], ["gzip"], false), (["gzip"], ["identity"], false),
            (["br"], ["gzip"], false),
            (["gzip", "gzip"], ["gzip"], false),
        ] as [([String], [String], Bool)]
    )
    func whatGoogleDecompressedOnTheWayIsNotWhatItStored(
        stored: [String],
        sent: [String],
        isTaken: Bool
    ) throws {
        let lines =
            ["x-goog-hash: md5=\(Self.md5)"] + stored.map { "x-goog-stored-content-encoding: \($0)" }
            + sent.map { "Content-Encoding: \($0)" }
        #expect(try !Self.digests(lines).isEmpty == isTaken)
    }

    @Test(arguments: [
        ("FULL_OBJECT", true), ("full_object", true), ("COMPOSITE", false), ("", false),
        ("FULL_OBJECT, COMPOSITE", false),
    ])
    func whatAmazonComposedOfPartsIsNotOfTheFile(type: String, isTaken: Bool) throws {
        let lines = ["x-amz-checksum-crc32c: \(Self.crc32c)", "x-amz-checksum-type: \(type)"]
        #expect(try !Self.digests(lines).isEmpty == isTaken)
    }

    @Test func whatACodingWasAppliedToIsNotWhatAStoreHas() throws {
        let lines = [
            "x-amz-checksum-sha1: \(Self.sha1)", "x-oss-hash-crc64ecma: 1", "Repr-Digest: md5=:\(Self.md5):",
            "Content-Encoding: gzip",
        ]
        #expect(try Self.digests(lines).map(\.source) == [.reprDigest], "which is of the coded bytes")
    }

    @Test func theStrongestThatNothingContradictsIsChosen() throws {
        func choice(_ lines: [String], status: Int = 200) throws -> Checksum.Algorithm? {
            VolunteeredDigest.strongest(of: try Self.digests(lines, status: status))?.checksum.algorithm
        }
        let lines = [
            "x-goog-hash: crc32c=\(Self.crc32c),md5=\(Self.md5)", "x-oss-hash-crc64ecma: 1",
            "Repr-Digest: sha=:\(Self.sha1):",
        ]
        #expect(try choice(lines) == .sha1)
        #expect(try choice(Array(lines.prefix(2))) == .md5)
        #expect(try choice([lines[1], "x-goog-hash: crc32c=\(Self.crc32c)"]) == .crc64ecma)
        #expect(
            try choice(lines + ["Digest: SHA=AAAAAAAAAAAAAAAAAAAAAAAAAAA="]) == .md5,
            "which of two is right?"
        )
        #expect(try choice(lines + ["Digest: SHA=\(Self.sha1)"]) == .sha1, "two that agree are one")
        #expect(try choice(["Content-Digest: sha=:\(Self.sha1):"], status: 206) == nil)
        #expect(try choice([]) == nil)
    }
}

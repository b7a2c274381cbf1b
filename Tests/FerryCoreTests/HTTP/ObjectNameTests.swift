import FerryCore
import Testing

/// What the name of an object says.
struct ObjectNameTests {
    @Test(arguments: [
        ("s3://bucket/key", ObjectStore.s3, "bucket", "key"),
        ("S3://bucket/a/b.iso", .s3, "bucket", "a/b.iso"),
        ("oss://b.with.dots/k", .oss, "b.with.dots", "k"),
        ("gs://under_score/k", .gs, "under_score", "k"),
        ("s3://b//leading", .s3, "b", "/leading"),
        ("s3://b/a//b/../c/./d/", .s3, "b", "a//b/../c/./d/"),
        ("s3://b/a b+c%20d%zz", .s3, "b", "a b+c%20d%zz"),
        ("s3://b/k?versionId=1#x", .s3, "b", "k?versionId=1#x"),
        ("s3://b/日本語/é", .s3, "b", "日本語/é"),
        ("s3://b/s3://c/d", .s3, "b", "s3://c/d"),
        ("s3://b/\u{1}\n", .s3, "b", "\u{1}\n"),
    ])
    func allThatFollowsTheBucketIsTheKey(
        _ text: String,
        _ store: ObjectStore,
        _ bucket: String,
        _ key: String
    ) throws {
        let name = try ObjectName(parsing: text)
        #expect(name.store == store && name.bucket == bucket && name.key.utf8.elementsEqual(key.utf8))
        #expect(try ObjectName(parsing: name.description) == name)
    }

    @Test(arguments: [
        ("", ObjectName.ParseError.unknownScheme), ("bucket/key", .unknownScheme),
        ("s3:/b/k", .unknownScheme),
        ("https://b/k", .unknownScheme), ("://b/k", .unknownScheme), ("s3://", .missingBucket),
        ("s3:///k", .missingBucket), ("s3://b", .missingKey), ("s3://b/", .missingKey),
        ("s3://-b/k", .invalidBucket), ("s3://../k", .invalidBucket), ("s3://key:secret@b/k", .invalidBucket),
        ("s3://b c/k", .invalidBucket), ("s3://b?x/k", .invalidBucket), ("s3://bücket/k", .invalidBucket),
        ("s3://\(String(repeating: "b", count: 256))/k", .invalidBucket),
        ("s3://b/\(String(repeating: "k", count: 1025))", .keyTooLong),
    ])
    func otherTextsAreRefused(_ text: String, _ error: ObjectName.ParseError) {
        #expect(throws: error) { try ObjectName(parsing: text) }
        #expect(!error.description.contains("secret"))
    }

    @Test func twoFormsOfALetterAreTwoObjects() throws {
        let composed = try ObjectName(parsing: "s3://b/caf\u{E9}")
        let decomposed = try ObjectName(parsing: "s3://b/cafe\u{301}")
        #expect(composed != decomposed)
        #expect(Set([composed, decomposed]).count == 2)
    }
}

import ArgumentParser
import Ferry
import Testing

@testable import FerryCLI
@testable import FerryFrontend

/// Command lines of `ferry uploads`, and what it shows.
@Suite struct UploadsPlanTests {
    private func plan(
        _ place: String,
        olderThan age: String? = nil,
        retries: Int? = nil
    ) throws -> UploadsPlan {
        var input = UploadsInput()
        input.place = place
        input.olderThan = age
        input.connection.retries = retries
        input.store.endpoint = "http://localhost:9000"
        let variables = [
            "AWS_ACCESS_KEY_ID": "AKIA", "AWS_SECRET_ACCESS_KEY": "s", "OSS_ACCESS_KEY_ID": "LTAI",
            "OSS_ACCESS_KEY_SECRET": "s",
        ]
        return try UploadsPlan(
            input,
            ProcessEnvironment(variables: variables, workingDirectory: "/", home: nil)
        )
    }

    @Test func aBucketAndAPrefixAreTakenAsTyped() throws {
        #expect(try plan("s3://bucket").prefix.text.isEmpty)
        #expect(try plan("s3://bucket/").prefix.text.isEmpty)
        let prefix = try plan("oss://bucket/a%20b//").prefix
        #expect(prefix.store == .oss && prefix.bucket == "bucket" && prefix.text == "a%20b//")
        let plan = try plan("s3://bucket", olderThan: "7d", retries: 2)
        #expect(plan.age == .seconds(7 * 86_400) && plan.retries == 2)
        #expect(plan.terms.store?.endpoint?.host == "localhost")
    }

    @Test(arguments: ["bucket", "https://bucket/", "s3://", "s3:///key", "gs://bucket", ""])
    func otherPlacesAreRefused(_ place: String) {
        #expect(throws: CommandFailure.self) { try plan(place) }
    }

    @Test func missingCredentialsAreSaidBeforeAnythingIsSent() {
        var input = UploadsInput()
        input.place = "s3://bucket"
        input.store.region = "r"
        let variables = ["AWS_EC2_METADATA_DISABLED": "true"]
        let environment = ProcessEnvironment(variables: variables, workingDirectory: "/", home: nil)
        #expect { try UploadsPlan(input, environment) } throws: { error in
            (error as? CommandFailure)?.status == .notAuthorised
        }
    }

    @Test(arguments: [[], ["--all", "--id", "u"]])
    func whatIsEndedMustBeNamed(_ words: [String]) throws {
        #expect(throws: (any Error).self) { try UploadsAbortCommand.parse(["s3://bucket"] + words) }
        #expect(try UploadsAbortCommand.parse(["s3://bucket", "--id", "u"]).id == "u")
    }
}

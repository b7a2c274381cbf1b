import Testing

@testable import FerryFrontend

/// Files of profiles, as the tools of the stores write them.
@Suite struct ProfileFileTests {
    @Test func sectionsHaveSettings() throws {
        let file = try ProfileFile(
            parsing: """
                # comment
                [default]
                aws_access_key_id = AKIA
                AWS_SECRET_ACCESS_KEY=a=b#c
                region: eu-west-1
                empty =

                [profile  "my work"]
                ; comment
                \tregion = us-east-1
                [default]
                output = json
                """
        )
        #expect(
            file["default"] == [
                "aws_access_key_id": "AKIA", "aws_secret_access_key": "a=b#c", "region": "eu-west-1",
                "output": "json",
            ]
        )
        #expect(file["profile my work"] == ["region": "us-east-1"])
        #expect(file["other"] == nil)
        #expect(file.sectionNames == ["default", "profile my work"])
    }

    @Test func indentedLinesAreWithinASetting() throws {
        let file = try ProfileFile(
            parsing: """
                [default]
                s3 =
                    addressing_style = path
                    # comment
                    endpoint_url = http://localhost:9000
                region = eu-west-1
                  continued = not a setting
                  of the region
                [services local]\r
                s3 =\r
                  endpoint_url = http://h:1\r
                dynamodb =
                  endpoint_url = http://h:2
                """
        )
        #expect(
            file["default"] == [
                "s3.addressing_style": "path", "s3.endpoint_url": "http://localhost:9000",
                "region": "eu-west-1",
            ]
        )
        #expect(
            file["services local"] == [
                "s3.endpoint_url": "http://h:1", "dynamodb.endpoint_url": "http://h:2",
            ]
        )
    }

    @Test(arguments: [
        ("a = b", 1), ("[x]\nsecret", 2), ("[x\na = b", 1), ("[]", 1), ("[x]\n\n= b", 3),
        ("[x]\n  lost words", 2),
    ])
    func anythingElseIsNamedByItsLine(_ text: String, _ line: Int) {
        #expect(throws: ProfileFile.ParseError(line: line)) { try ProfileFile(parsing: text) }
    }

    @Test func anEmptyFileHasNothing() throws {
        #expect(try ProfileFile(parsing: "") == ProfileFile())
        #expect(try ProfileFile(parsing: "\n# a\n").sectionNames.isEmpty)
    }
}

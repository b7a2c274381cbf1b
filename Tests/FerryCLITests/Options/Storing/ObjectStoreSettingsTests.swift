import ArgumentParser
import Ferry
import Foundation
import Testing

@testable import FerryCLI
@testable import FerryFrontend

/// Where credentials and addresses of stores come from.
@Suite struct ObjectStoreSettingsTests {
    /// Writes files below a home directory of their own, and runs `body`.
    private func withHome(
        _ files: [String: String],
        mode: Int = 0o600,
        _ body: (String) async throws -> Void
    ) async throws {
        let home = NSTemporaryDirectory() + "ferry-stores-\(UUID().uuidString)"
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(atPath: home) } }
        try FileManager.default.createDirectory(atPath: home + "/.aws", withIntermediateDirectories: true)
        for (name, text) in files {
            try Data(text.utf8).write(to: URL(fileURLWithPath: "\(home)/\(name)"))
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: "\(home)/\(name)")
        }
        try await body(home)
    }

    private func access(
        _ words: [String] = [],
        to store: ObjectStore = .s3,
        variables: [String: String] = [:],
        home: String? = nil
    ) throws -> ObjectStoreSettings {
        // The machine that runs the tests may be an instance.
        let variables = ["AWS_EC2_METADATA_DISABLED": "true"].merging(variables) { $1 }
        let environment = ProcessEnvironment(variables: variables, workingDirectory: "/", home: home)
        return try ObjectStoreSettings(to: store, ObjectStoreArguments.parse(words).input, environment)
    }

    /// Expects these credentials: the access key, its secret and the token.
    private func expect(
        _ expected: [String?],
        _ access: ObjectStoreSettings,
        at place: SourceLocation = #_sourceLocation
    ) async throws {
        let found = try await access.credentials(
            outputOf: { _ in
                Issue.record("no command is run")
                return []
            },
            answerTo: Self.nowhere
        ).credentials
        let wanted = ObjectStoreCredentials(
            accessKey: expected[0] ?? "",
            secret: expected[1] ?? "",
            sessionToken: expected[2]
        )
        #expect(found == wanted, sourceLocation: place)
    }

    /// No endpoint is asked.
    private static func nowhere(_ request: CredentialEndpoint.Request) throws -> CredentialEndpoint.Answer {
        Issue.record("no endpoint is asked")
        return CredentialEndpoint.Answer(status: 404, body: [])
    }

    private let aws = ["AWS_ACCESS_KEY_ID": "ENV", "AWS_SECRET_ACCESS_KEY": "env-secret"]

    // MARK: Amazon

    @Test func variablesGoBeforeTheDefaultProfile() async throws {
        let files = [".aws/credentials": "[default]\naws_access_key_id=F\naws_secret_access_key=s\n"]
        try await withHome(files) { home in
            try await expect(["F", "s", nil], access(home: home))
            try await expect(["ENV", "env-secret", nil], access(variables: aws, home: home))
            let token = aws.merging(["AWS_SESSION_TOKEN": "t"]) { $1 }
            try await expect(["ENV", "env-secret", "t"], access(variables: token, home: home))
        }
    }

    @Test func aNamedProfileGoesBeforeVariables() async throws {
        let files = [
            ".aws/credentials": "[work]\naws_access_key_id=W\naws_secret_access_key=s\naws_session_token=t\n",
            ".aws/config": """
            [profile work]
            region = eu-west-3
            endpoint_url = https://all.example.org
            services = local
            s3 =
              addressing_style = virtual
            [services local]
            s3 =
              endpoint_url = http://localhost:9000
            """,
        ]
        try await withHome(files) { home in
            let named = try access(["--profile", "work"], variables: aws, home: home)
            try await expect(["W", "s", "t"], named)
            #expect(named.addressing.region == "eu-west-3" && named.addressing.style == .virtualHost)
            #expect(named.addressing.endpoint?.absoluteString == "http://localhost:9000/")
            let fromVariable = try access(variables: ["AWS_PROFILE": "work"], home: home)
            try await expect(["W", "s", "t"], fromVariable)
            let mixed = try access(variables: aws.merging(["AWS_PROFILE": "work"]) { $1 }, home: home)
            try await expect(["ENV", "env-secret", nil], mixed)
            #expect(mixed.addressing.region == "eu-west-3")
        }
    }

    @Test func optionsGoBeforeVariablesAndVariablesBeforeFiles() async throws {
        let files = [".aws/config": "[default]\nregion = file\nendpoint_url = https://file.example.org\n"]
        let variables = aws.merging([
            "AWS_REGION": "env", "AWS_DEFAULT_REGION": "other", "AWS_ENDPOINT_URL": "https://all.example.org",
            "AWS_ENDPOINT_URL_S3": "https://s3.example.org",
        ]) { $1 }
        try await withHome(files) { home in
            let file = try access(variables: aws, home: home).addressing
            #expect(file.region == "file" && file.endpoint?.host == "file.example.org")
            let env = try access(variables: variables, home: home).addressing
            #expect(env.region == "env" && env.endpoint?.host == "s3.example.org")
            let options = ["--region", "opt", "--endpoint", "http://127.0.0.1:9000/p", "--path-style"]
            let given = try access(options, variables: variables, home: home).addressing
            #expect(given.region == "opt" && given.endpoint?.port == 9000 && given.style == .path)
        }
    }

    /// A token never appears with the key of another section, and a secret neither.
    @Test(arguments: [
        // The file of credentials goes first.
        ("aws_access_key_id=K\naws_secret_access_key=s", "aws_session_token=old", ["K", "s", nil]),
        (
            "aws_access_key_id=K\naws_secret_access_key=s",
            "aws_access_key_id=O\naws_secret_access_key=o\naws_session_token=old", ["K", "s", nil]
        ),
        ("aws_session_token=old", "aws_access_key_id=K\naws_secret_access_key=s", ["K", "s", nil]),
        (
            "region=r", "aws_access_key_id=K\naws_secret_access_key=s\naws_session_token=t", ["K", "s", "t"]
        ),
        (
            "aws_access_key_id=K\naws_secret_access_key=s\naws_security_token=t",
            "credential_process=tool", ["K", "s", "t"]
        ),
        ("aws_access_key_id=K", "aws_secret_access_key=s", nil),
    ])
    func keysAreTakenFromOneSection(credentials: String, config: String, expected: [String?]?) async throws {
        let files = [
            ".aws/credentials": "[p]\n\(credentials)\n", ".aws/config": "[profile p]\n\(config)\nregion=c\n",
        ]
        try await withHome(files) { home in
            guard let expected else {
                let failure = failure(["--profile", "p"], home: home)
                #expect(failure?.message.contains("secret is missing") == true)
                return
            }
            let found = try access(["--profile", "p"], home: home)
            try await expect(expected, found)
            #expect(found.addressing.region == (credentials == "region=r" ? "r" : "c"))
            // The same holds for a token in the environment.
            let token = ["AWS_SESSION_TOKEN": "env", "AWS_PROFILE": "p"]
            try await expect(expected, access(variables: token, home: home))
        }
    }

    @Test func otherFilesAreNamedByVariables() async throws {
        let files = [
            "c": "[profile p]\nregion=r\n", "k": "[p]\naws_access_key_id=K\naws_secret_access_key=s\n",
        ]
        try await withHome(files) { home in
            let variables = ["AWS_CONFIG_FILE": "~/c", "AWS_SHARED_CREDENTIALS_FILE": home + "/k"]
            let found = try access(["--profile", "p"], variables: variables, home: home)
            try await expect(["K", "s", nil], found)
            #expect(found.addressing.region == "r")
        }
    }

    @Test func aCommandPrintsCredentials() async throws {
        let files = [".aws/config": "[profile p]\ncredential_process = tool --print \"a b\"\n"]
        try await withHome(files) { home in
            let found = try access(["--profile", "p"], variables: aws, home: home)
            #expect(found.process == "tool --print \"a b\"")
            let printed = try await found.credentials(
                outputOf: { line in
                    #expect(line == "tool --print \"a b\"")
                    return Array(
                        #"{"Version": 1, "AccessKeyId": "P", "SecretAccessKey": "s", "SessionToken": "t", "Expiration": "2026-01-31T09:00:00Z"}"#
                            .utf8
                    )
                },
                answerTo: Self.nowhere
            )
            #expect(
                printed.credentials == ObjectStoreCredentials(accessKey: "P", secret: "s", sessionToken: "t")
            )
            #expect(printed.expiration == Instant(timestamp: "2026-01-31T09:00:00Z"))
        }
    }

    @Test(arguments: [
        "", "no", "{}", #"{"Version": 2, "AccessKeyId": "geheim", "SecretAccessKey": "geheim"}"#,
        #"{"Version": 1, "AccessKeyId": "geheim"}"#,
        #"{"Version": 1, "AccessKeyId": "geheim", "SecretAccessKey": ""}"#,
    ])
    func whatACommandPrintsOtherwiseIsNotShown(_ output: String) throws {
        let failure = #expect(throws: CommandFailure.self) {
            try PassingCredentials(printed: Array(output.utf8))
        }
        #expect(failure?.status == .notAuthorised && failure?.message.contains("geheim") == false)
    }

    // MARK: Alibaba and Google

    @Test(arguments: [
        "[Credentials]\nlanguage=EN\naccessKeyID = O\naccessKeySecret = s\nstsToken = t\nendpoint = oss-cn-beijing.aliyuncs.com\n",
        "[default]\naccess-key-id = O\naccess_key_secret = s\nststoken = t\nendpoint = oss-cn-beijing.aliyuncs.com\n",
    ])
    func ossutilHasItsOwnFile(_ text: String) async throws {
        try await withHome([".ossutilconfig": text]) { home in
            let found = try access(to: .oss, variables: aws, home: home)
            try await expect(["O", "s", "t"], found)
            #expect(found.addressing.endpoint?.absoluteString == "https://oss-cn-beijing.aliyuncs.com/")
            #expect(found.version == .v4)
            let variables = ["OSS_ACCESS_KEY_ID": "E", "OSS_ACCESS_KEY_SECRET": "e", "OSS_REGION": "cn-x"]
            let env = try access(["--sign-version", "v1"], to: .oss, variables: variables, home: home)
            try await expect(["E", "e", nil], env)
            #expect(env.addressing.region == "cn-x" && env.version == .v1)
        }
    }

    @Test func aProfileOfOssutilIsNamed() async throws {
        let text = """
            [profile dev]
            accessKeyID = D
            accessKeySecret = s
            region = cn-shanghai
            addressing-style = cname
            endpoint = https://files.example.org
            sign-version = V1
            """
        try await withHome([".ossutilconfig": text]) { home in
            let found = try access(["--profile", "dev"], to: .oss, home: home)
            try await expect(["D", "s", nil], found)
            #expect(found.addressing.region == "cn-shanghai" && found.addressing.style == .customDomain)
            #expect(found.version == .v1)
            let fromVariable = try access(to: .oss, variables: ["OSSUTIL_PROFILE": "dev"], home: home)
            try await expect(["D", "s", nil], fromVariable)
        }
    }

    @Test func googleTakesItsOwnVariablesOrANamedProfile() async throws {
        let files = [
            ".aws/credentials":
                "[default]\naws_access_key_id=A\naws_secret_access_key=s\n[g]\naws_access_key_id=G\naws_secret_access_key=s\n",
            ".aws/config": "[profile g]\nregion=eu-west-1\nendpoint_url=https://s3.example.org\n",
        ]
        try await withHome(files) { home in
            let variables = ["GS_ACCESS_KEY_ID": "E", "GS_SECRET_ACCESS_KEY": "e"]
            try await expect(["E", "e", nil], access(to: .gs, variables: variables, home: home))
            let named = try access(["--profile", "g"], to: .gs, variables: variables, home: home)
            try await expect(["G", "s", nil], named)
            #expect(named.addressing == ObjectStoreAddressing())
            // A key of Amazon is not sent to Google.
            #expect(throws: CommandFailure.self) { try access(to: .gs, variables: aws, home: home) }
        }
    }

    @Test func googleTakesTheKeyFileOfAServiceAccount() async throws {
        let files = [
            "key.json":
                #"{"type": "service_account", "client_email": "a@p", "private_key": "-----BEGIN\nK"}"#,
            "user.json": #"{"type": "authorized_user", "refresh_token": "geheim"}"#,
        ]
        try await withHome(files) { home in
            func variables(_ name: String) -> [String: String] {
                ["GOOGLE_APPLICATION_CREDENTIALS": "\(home)/\(name)"]
            }
            let found = try access(to: .gs, variables: variables("key.json"), home: home)
            let account = try await found.credentials(outputOf: { _ in [] }, answerTo: Self.nowhere)
            #expect(
                account.credentials
                    == ObjectStoreCredentials(serviceAccount: "a@p", privateKey: "-----BEGIN\nK")
            )
            let shared = ["GS_ACCESS_KEY_ID": "E", "GS_SECRET_ACCESS_KEY": "e"]
            let both = variables("none.json").merging(shared) { $1 }
            try await expect(["E", "e", nil], access(to: .gs, variables: both, home: home))
            let user = failure(to: .gs, variables: variables("user.json"), home: home)
            #expect(user?.status == .notAuthorised && user?.message.contains("geheim") == false)
            #expect(failure(to: .gs, variables: variables("none.json"), home: home)?.status == .cannotOpen)
        }
    }

    // MARK: What is wrong

    private func failure(
        _ words: [String] = [],
        to store: ObjectStore = .s3,
        variables: [String: String] = [:],
        home: String? = nil
    ) -> CommandFailure? {
        #expect(throws: CommandFailure.self) {
            try access(words, to: store, variables: variables, home: home)
        }
    }

    @Test(arguments: [
        (ObjectStore.s3, "AWS_SECRET_ACCESS_KEY"), (.oss, "OSS_ACCESS_KEY_SECRET"),
        (.gs, "GS_SECRET_ACCESS_KEY"),
    ])
    func missingCredentialsSayWhatToSet(_ store: ObjectStore, _ variable: String) {
        let failure = failure(to: store)
        #expect(failure?.status == .notAuthorised && failure?.code == "noCredentials")
        #expect(failure?.hint?.contains(variable) == true)
    }

    @Test func halfAKeyIsNamed() {
        let failure = failure(variables: ["AWS_ACCESS_KEY_ID": "A"])
        #expect(failure?.message.contains("secret is missing") == true && failure?.status == .notAuthorised)
    }

    @Test func anUnknownProfileIsNamedWithTheKnownOnes() async throws {
        let files = [".aws/config": "[default]\n[profile a]\n[services x]\n", ".aws/credentials": "[b]\n"]
        try await withHome(files) { home in
            let failure = failure(["--profile", "none"], variables: aws, home: home)
            #expect(failure?.status == .usage && failure?.hint == "There are: a, b, default.")
        }
    }

    @Test func anotherWayToCredentialsIsNamed() async throws {
        let files = [".aws/config": "[profile p]\nsso_session = s\n"]
        try await withHome(files) { home in
            let failure = failure(["--profile", "p"], home: home)
            #expect(failure?.message.contains("'sso_session'") == true)
            #expect(failure?.hint?.contains("export-credentials --profile p --format env") == true)
        }
    }

    @Test func aFileThatOthersMayWriteIsNotUsed() async throws {
        let files = [".aws/config": "[default]\ncredential_process = x\n"]
        try await withHome(files, mode: 0o620) { home in
            let failure = failure(home: home)
            #expect(failure?.status == .cannotOpen && failure?.hint?.contains("chmod go-w") == true)
        }
        try await withHome(files, mode: 0o644) { home in
            let found = try access(home: home)
            #expect(found.process == "x")
        }
    }

    @Test func aDamagedFileIsNamedWithItsLine() async throws {
        try await withHome([".aws/credentials": "[default]\ngeheim\n"]) { home in
            let failure = failure(home: home)
            #expect(failure?.status == .cannotOpen && failure?.message.contains("Line 2 of") == true)
            #expect(failure?.message.contains("geheim") == false)
        }
    }

    @Test(arguments: [
        ["--endpoint", "ftp://h"], ["--endpoint", ""], ["--sign-version", "v2"],
        ["--path-style", "--custom-domain"],
    ])
    func wrongOptionsAreRefused(_ words: [String]) {
        #expect(failure(words, variables: aws)?.status == .usage)
    }
}

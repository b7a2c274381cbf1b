import Ferry
import Foundation
import Synchronization
import Testing

@testable import FerryFrontend

/// Credentials from the endpoints of instances and containers.
@Suite struct CredentialEndpointTests {
    /// A server that plays these answers by method and URL, and notes what it is asked.
    private final class Server: Sendable {
        private let answers: [String: (status: Int, body: String)]
        private let state = Mutex<[CredentialEndpoint.Request]>([])

        init(_ answers: [String: (status: Int, body: String)]) { self.answers = answers }

        var requests: [CredentialEndpoint.Request] { state.withLock { $0 } }

        struct NoAnswer: Error {}

        func answer(_ request: CredentialEndpoint.Request) throws -> CredentialEndpoint.Answer {
            state.withLock { $0.append(request) }
            guard let answer = answers["\(request.method.rawValue) \(request.url.absoluteString)"] else {
                throw NoAnswer()
            }
            return CredentialEndpoint.Answer(status: answer.status, body: Array(answer.body.utf8))
        }
    }

    private static let metadata = "http://169.254.169.254/latest"
    private static let keys =
        #"{"Code": "Success", "AccessKeyId": "I", "SecretAccessKey": "s", "Token": "t", "Expiration": "2026-01-31T09:00:00Z"}"#

    private func endpoint(_ variables: [String: String]) throws -> CredentialEndpoint? {
        try CredentialEndpoint(ProcessEnvironment(variables: variables, workingDirectory: "/", home: nil))
    }

    private func ask(
        _ endpoint: CredentialEndpoint?,
        _ server: Server,
        file: String = ""
    ) async throws -> PassingCredentials? {
        try await #require(endpoint).credentials(by: server.answer, contentsOf: { _ in file })
    }

    @Test("an instance is asked for a token, for its role and for the keys")
    func instance() async throws {
        let server = Server([
            "PUT \(Self.metadata)/api/token": (200, "TOKEN"),
            "GET \(Self.metadata)/meta-data/iam/security-credentials/": (200, "a role\n"),
            "GET \(Self.metadata)/meta-data/iam/security-credentials/a%20role": (200, Self.keys),
        ])
        let given = try #require(try await ask(try endpoint([:]), server))
        #expect(
            given.credentials == ObjectStoreCredentials(accessKey: "I", secret: "s", sessionToken: "t")
        )
        #expect(given.expiration == Instant(timestamp: "2026-01-31T09:00:00Z"))
        let fields = server.requests.map(\.fields)
        #expect(fields[0] == [HeaderField(name: "X-aws-ec2-metadata-token-ttl-seconds", value: "21600")])
        for other in fields.dropFirst() {
            #expect(other == [HeaderField(name: "X-aws-ec2-metadata-token", value: "TOKEN")])
        }
    }

    @Test("a machine that is no instance, or has no role, has no credentials")
    func others() async throws {
        #expect(try await ask(try endpoint([:]), Server([:])) == nil)
        #expect(
            try await ask(try endpoint([:]), Server(["PUT \(Self.metadata)/api/token": (404, "")])) == nil
        )
        let plain = Server([
            "PUT \(Self.metadata)/api/token": (200, "TOKEN"),
            "GET \(Self.metadata)/meta-data/iam/security-credentials/": (404, ""),
        ])
        #expect(try await ask(try endpoint([:]), plain) == nil)
        #expect(try endpoint(["AWS_EC2_METADATA_DISABLED": "TRUE"]) == nil)
    }

    @Test("a container is asked where its variables say, with its token")
    func container() async throws {
        let relative = ["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI": "/v2/credentials/1?x=y"]
        let server = Server(["GET http://169.254.170.2/v2/credentials/1?x=y": (200, Self.keys)])
        #expect(try await ask(try endpoint(relative), server) != nil)
        #expect(server.requests.first?.fields == [])
        let full = [
            "AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://169.254.170.23/v1/credentials",
            "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE": "/token",
            "AWS_CONTAINER_AUTHORIZATION_TOKEN": "other",
        ]
        let agent = Server(["GET http://169.254.170.23/v1/credentials": (200, Self.keys)])
        #expect(try await ask(try endpoint(full), agent, file: "from file\n") != nil)
        #expect(agent.requests.first?.fields == [HeaderField(name: "Authorization", value: "from file")])
    }

    @Test(
        "a token goes to no other server in clear text",
        arguments: [
            "http://example.org/x", "http://127.0.0.1.example.org/x", "http://169.254.170.3/x", "s3://b/k",
            "x",
        ]
    )
    func aTokenGoesToNoOtherServerInClearText(url: String) {
        #expect(throws: CommandFailure.self) { try endpoint(["AWS_CONTAINER_CREDENTIALS_FULL_URI": url]) }
    }

    @Test(
        "servers of one's own are taken",
        arguments: [
            "https://example.org/x", "http://127.0.0.9:81/x", "http://[::1]/x", "http://[fd00:ec2::23]/x",
        ]
    )
    func ownServers(url: String) throws {
        #expect(try endpoint(["AWS_CONTAINER_CREDENTIALS_FULL_URI": url]) != nil)
    }

    @Test("a failure that may pass is tried again, and quotes nothing")
    func failures() async throws {
        let variables = ["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI": "/c"]
        let url = "GET http://169.254.170.2/c"
        for (server, isTransient) in [
            (Server([:]), true), (Server([url: (503, "geheim")]), true),
            (Server([url: (403, "geheim")]), false),
            (Server([url: (200, "geheim")]), true),
        ] {
            let failure = await #expect(throws: ObjectStoreAccess.Failure.self) {
                try await ask(try endpoint(variables), server)
            }
            #expect(failure?.isTransient == isTransient && failure?.message.contains("geheim") == false)
        }
        let split = variables.merging(["AWS_CONTAINER_AUTHORIZATION_TOKEN": "a\u{1}b"]) { $1 }
        await #expect(throws: ObjectStoreAccess.Failure.self) {
            try await ask(try endpoint(split), Server([url: (200, Self.keys)]))
        }
    }

    @Test("an instance of Alibaba Cloud gives the keys of the role that the profile names")
    func alibaba() async throws {
        let base = "http://100.100.100.200/latest"
        let server = Server([
            "PUT \(base)/api/token": (200, "TOKEN"),
            "GET \(base)/meta-data/ram/security-credentials/worker": (
                200, #"{"AccessKeyId": "O", "AccessKeySecret": "s", "SecurityToken": "t", "Code": "Success"}"#
            ),
        ])
        let given = try #require(try await ask(.alibabaInstance(role: "worker"), server))
        #expect(
            given.credentials == ObjectStoreCredentials(accessKey: "O", secret: "s", sessionToken: "t")
        )
    }
}

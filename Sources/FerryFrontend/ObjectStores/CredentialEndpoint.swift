package import Ferry

/// A server that gives temporary credentials to what runs on its machine or in its container.
package enum CredentialEndpoint: Hashable, Sendable {
    /// The agent of a container of Amazon (ECS, EKS).
    case container(HTTPURL, token: Token?)
    /// The instance metadata of Amazon in version 2.
    case amazonInstance(HTTPURL)
    /// The instance metadata of Alibaba Cloud in its hardened mode.
    case alibabaInstance(role: String)

    /// What the agent of a container wants to see.
    package enum Token: Hashable, Sendable {
        /// This.
        case given(String)
        /// What this file contains at the moment: it is replaced from time to time.
        case file(String)
    }

    /// A request to the server.
    package struct Request: Hashable, Sendable {
        /// The method.
        package var method = HTTPRequest.Method.get
        /// The target.
        package var url: HTTPURL
        /// The header fields.
        package var fields: [HeaderField] = []
    }

    /// An answer of the server.
    package struct Answer: Hashable, Sendable {
        /// The status.
        package var status: Int
        /// The body.
        package var body: [UInt8]

        /// Creates an answer.
        package init(status: Int, body: [UInt8]) { (self.status, self.body) = (status, body) }
    }

    /// Sends a request, and returns the answer.
    package typealias Exchange = (Request) async throws -> Answer

    /// The longest answer, in bytes.
    package static let longestAnswer = 64 << 10
    /// How long one of these servers may take. They are next to this machine, or not there.
    package static let patience = Duration.seconds(1)
}

// MARK: Finding

extension CredentialEndpoint {
    /// The endpoint that the environment names for the container, or that an instance of Amazon has.
    ///
    /// - Throws: ``CommandFailure`` if the variables name no server that may get a token.
    init?(_ environment: ProcessEnvironment) throws(CommandFailure) {
        if let url = try Self.container(environment) {
            let file = environment["AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"].map(Token.file)
            let given = environment["AWS_CONTAINER_AUTHORIZATION_TOKEN"].map(Token.given)
            self = .container(url, token: file ?? given)
            return
        }
        guard environment["AWS_EC2_METADATA_DISABLED"]?.lowercased() != "true" else { return nil }
        let name = "AWS_EC2_METADATA_SERVICE_ENDPOINT"
        self = .amazonInstance(try Self.url(environment[name] ?? "http://169.254.169.254", of: name))
    }

    private static func container(_ environment: ProcessEnvironment) throws(CommandFailure) -> HTTPURL? {
        let relative = "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"
        if let path = environment[relative] {
            guard path.hasPrefix("/") else { throw .usage("\(relative) must begin with '/'.") }
            return try url("http://169.254.170.2\(path)", of: relative)
        }
        let full = "AWS_CONTAINER_CREDENTIALS_FULL_URI"
        guard let text = environment[full] else { return nil }
        let url = try url(text, of: full)
        // The token would go in clear text to any other server.
        guard url.scheme == .https || isNearby(url.host) else {
            throw .usage(
                "\(full) must begin with https://, or name this machine or the agent of its containers."
            )
        }
        return url
    }

    private static func isNearby(_ host: String) -> Bool {
        let agents = ["169.254.170.2", "169.254.170.23", "fd00:ec2::23", "::1", "localhost"]
        return agents.contains(host) || (host.hasPrefix("127.") && IPAddress(host) != nil)
    }

    private static func url(_ text: String, of variable: String) throws(CommandFailure) -> HTTPURL {
        do {
            let url = try HTTPURL(parsing: text)
            if url.scheme.store == nil { return url }
        } catch {
            throw .usage("\(variable) is not valid. \(error.description)")
        }
        throw .usage("\(variable) must begin with http:// or https://.")
    }
}

// MARK: Asking

extension CredentialEndpoint {
    /// Asks for the credentials; `nil` if there is no such server, or if it has none.
    ///
    /// - Parameters:
    ///   - exchange: sends a request.
    ///   - contents: reads a file.
    /// - Throws: ``ObjectStoreAccess/Failure``.
    func credentials(
        by exchange: Exchange,
        contentsOf contents: (String) throws -> String
    ) async throws -> PassingCredentials? {
        switch self {
        case .container(let url, let token):
            var request = Request(url: url)
            let value: String?
            switch token {
            case .given(let text): value = text
            case .file(let path): value = try contents(path)
            case nil: value = nil
            }
            if let value {
                request.fields = [HeaderField(name: "Authorization", value: try Self.line(value))]
            }
            return try read(try await answer(to: request, by: exchange))
        case .amazonInstance(let base):
            return try await instance(
                base,
                "/latest/meta-data/iam/security-credentials/",
                header: "X-aws-ec2-metadata-token",
                role: nil,
                by: exchange
            )
        case .alibabaInstance(let role):
            return try await instance(
                try Self.url("http://100.100.100.200", of: "ecsRoleName"),
                "/latest/meta-data/ram/security-credentials/",
                header: "X-aliyun-ecs-metadata-token",
                role: role,
                by: exchange
            )
        }
    }

    /// Asks the metadata of an instance: for a token, with it for the name of the role, and for the role's credentials.
    private func instance(
        _ base: HTTPURL,
        _ folder: String,
        header: String,
        role: String?,
        by exchange: Exchange
    ) async throws -> PassingCredentials? {
        let lifetime = HeaderField(name: "\(header)-ttl-seconds", value: "21600")
        let asked = Request(method: .put, url: try base.resolving("/latest/api/token"), fields: [lifetime])
        let token: Answer
        do {
            token = try await exchange(asked)
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            // Most machines are no instances.
            return nil
        }
        guard token.status == 200 else { return nil }
        let fields = [
            HeaderField(name: header, value: try Self.line(String(decoding: token.body, as: UTF8.self)))
        ]
        var name = role
        if name == nil {
            let roles = try await exchange(Request(url: try base.resolving(folder), fields: fields))
            // An instance without a role.
            if roles.status == 404 { return nil }
            let text = try check(roles).prefix { $0 != 0x0A && $0 != 0x0D }
            name = String(decoding: text, as: UTF8.self)
        }
        guard let name, !name.isEmpty else { return nil }
        let escaped = PercentEncoding.escaped(name.utf8)
        let url = try base.resolving("\(folder)\(escaped)")
        return try read(try await answer(to: Request(url: url, fields: fields), by: exchange))
    }

    private func answer(to request: Request, by exchange: Exchange) async throws -> Answer {
        do {
            return try await exchange(request)
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            throw ObjectStoreAccess.Failure("\(description) did not answer.", isTransient: true)
        }
    }

    private func check(_ answer: Answer) throws -> [UInt8] {
        guard answer.status == 200 else {
            throw ObjectStoreAccess.Failure(
                "\(description) gave no credentials (\(answer.status)).",
                isTransient: answer.status >= 500 || answer.status == 429
            )
        }
        return answer.body
    }

    private func read(_ answer: Answer) throws -> PassingCredentials {
        guard let credentials = PassingCredentials(given: try check(answer)) else {
            throw ObjectStoreAccess.Failure("\(description) gave no credentials.", isTransient: true)
        }
        return credentials
    }

    private var description: String {
        switch self {
        case .container: "The agent of the container"
        case .amazonInstance, .alibabaInstance: "The metadata of the instance"
        }
    }

    /// A token without the end of its line.
    private static func line(_ text: String) throws -> String {
        let line = text.split(separator: "\n", omittingEmptySubsequences: false).first.map(String.init) ?? ""
        let value = line.hasSuffix("\r") ? String(line.dropLast()) : line
        guard !value.isEmpty, value.utf8.allSatisfy({ $0 > 0x1F && $0 < 0x7F }), text.utf8.count <= 16 << 10
        else {
            throw ObjectStoreAccess.Failure("The token for the credentials of this machine is not valid.")
        }
        return value
    }
}

import Ferry

/// The proxy for each URL: from `--proxy` and `--no-proxy`, otherwise from the environment, both read as curl does.
struct Routes: Sendable {
    private let variables: [String: String]
    private let environment: ProxyEnvironment

    init(_ input: ConnectionInput, environment: ProcessEnvironment) throws(CommandFailure) {
        var variables = environment.variables
        if let proxy = input.proxy {
            for name in Self.proxyVariables { variables[name] = nil }
            // An empty value means no proxy, whatever the environment says.
            if !proxy.isEmpty {
                do {
                    _ = try Proxy(parsing: proxy)
                } catch {
                    throw .usage("--proxy: \(error.description)")
                }
                variables["all_proxy"] = proxy
            }
        }
        if let exceptions = input.proxyExceptions {
            variables["NO_PROXY"] = nil
            variables["no_proxy"] = exceptions
        }
        do {
            try self.init(variables)
        } catch {
            throw .usage(error.description, hint: "Correct the variable, or name a proxy with --proxy.")
        }
    }

    private init(_ variables: [String: String]) throws(ProxyEnvironment.InvalidVariable) {
        self.variables = variables
        environment = try ProxyEnvironment(variables)
    }

    /// The routes of a download that has proxies of its own, as a list gives them. A proxy for all URLs takes the place of all
    /// others, as `--proxy` does.
    ///
    /// - Parameter own: by the names of the variables that mean the same, in lower case; an empty value stands for none.
    func replaced(by own: [String: String]) throws(CommandFailure) -> Routes {
        var variables = variables
        if own["all_proxy"] != nil { for name in Self.proxyVariables { variables[name] = nil } }
        for (name, value) in own {
            variables[name.uppercased()] = nil
            variables[name] = value
        }
        do {
            return try Routes(variables)
        } catch {
            let option = String(error.name.map { $0 == "_" ? "-" : $0 })
            throw .usage("The value of '\(option)' is not usable. \(error.reason)")
        }
    }

    /// The variables that name a proxy.
    static let proxyVariables = ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]

    /// The proxies for URLs that redirects lead to; `nil` if there is no proxy at all.
    var proxies: ProxyEnvironment? { environment.isEmpty ? nil : environment }

    /// The proxy for a URL; `nil` for a direct connection.
    func proxy(for url: HTTPURL) -> Proxy? { environment.proxy(for: url) }
}

import Ferry

/// The proxy for each URL: from `--proxy` and `--no-proxy`, otherwise from the environment, both read as curl does.
struct Routes: Sendable {
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
            self.environment = try ProxyEnvironment(variables)
        } catch {
            throw .usage(error.description, hint: "Correct the variable, or name a proxy with --proxy.")
        }
    }

    /// The variables that name a proxy.
    static let proxyVariables = ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]

    /// The proxies for URLs that redirects lead to; `nil` if there is no proxy at all.
    var proxies: ProxyEnvironment? { environment.isEmpty ? nil : environment }

    /// The proxy for a URL; `nil` for a direct connection.
    func proxy(for url: HTTPURL) -> Proxy? { environment.proxy(for: url) }
}

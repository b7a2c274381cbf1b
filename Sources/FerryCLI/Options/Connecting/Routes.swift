import Ferry

/// Through which proxy, if any, each URL is reached: `--proxy` and `--no-proxy`, else the environment, as curl
/// reads both.
struct Routes: Sendable {
    private let environment: ProxyEnvironment

    init(_ arguments: ConnectionArguments, environment: ProcessEnvironment) throws(CommandFailure) {
        var variables = environment.variables
        if let proxy = arguments.proxy {
            for name in Self.proxyVariables { variables[name] = nil }
            // An empty proxy asks for none, whatever the environment says.
            if !proxy.isEmpty {
                do {
                    _ = try Proxy(parsing: proxy)
                } catch {
                    throw .usage("--proxy: \(error.description)")
                }
                variables["all_proxy"] = proxy
            }
        }
        if let exceptions = arguments.proxyExceptions {
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

    /// What is to be asked for each URL that redirects lead to; `nil` when there is no proxy at all.
    var proxies: ProxyEnvironment? { environment.isEmpty ? nil : environment }

    /// The proxy for a URL; `nil` goes straight to the server.
    func proxy(for url: HTTPURL) -> Proxy? { environment.proxy(for: url) }
}

import FerryCore

extension InputProperty {
    /// A proxy is a host, a port and credentials that start no other field; it is written and read back the
    /// same.
    package static let proxy = InputProperty("proxy") { input in
        let proxy: Proxy
        do throws(Proxy.ParseError) {
            proxy = try Proxy(parsing: input.text)
        } catch {
            try require(!error.description.utf8.contains { $0 < 0x20 }, "a message is one line")
            return
        }
        try require((1...65535).contains(proxy.port), "a port is one")
        try require(
            !proxy.host.isEmpty && proxy.host.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F },
            "a host is ASCII"
        )
        if let credentials = proxy.credentials { try requireOneLine(credentials) }
        let again = try Proxy(parsing: proxy.description)
        let bare = Proxy(scheme: proxy.scheme, host: proxy.host, port: proxy.port)
        try require(again == bare, "what is shown is the proxy without its credentials")
    }

    /// `no_proxy` decides the same for every spelling of a host, and a longer list has at least as many
    /// exceptions.
    package static let noProxy = InputProperty("no-proxy") { input in
        let (head, tail) = input.headAndTail
        let host = tail.text
        let matches = NoProxyRules(head).matches(host: host)
        let small = String(
            decoding: host.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 },
            as: UTF8.self
        )
        try require(NoProxyRules(head).matches(host: small) == matches, "capitals do not count")
        let isEvery = head.utf8.filter { $0 != 0x2C && $0 != 0x20 && !(0x09...0x0D).contains($0) }
            .elementsEqual("*".utf8)
        if matches, !isEvery {
            try require(
                NoProxyRules(head + ",a.invalid").matches(host: host),
                "a longer list excepts no fewer"
            )
        }
        if isEvery { try require(matches, "a star alone excepts every host") }
        try require(!NoProxyRules("").matches(host: host), "an empty list excepts none")
    }

    /// The environment variables yield a proxy for each scheme, or name the wrong variable.
    package static let proxyEnvironment = InputProperty("proxy-environment") { input in
        var variables: [String: String] = [:]
        for line in input.lines {
            guard let equals = line.utf8.firstIndex(of: 0x3D) else { continue }
            let value = line.utf8[line.utf8.index(after: equals)...]
            variables[String(line[..<equals])] = String(Substring(value))
        }
        let environment: ProxyEnvironment
        do throws(ProxyEnvironment.InvalidVariable) {
            environment = try ProxyEnvironment(variables)
        } catch {
            try require(variables[error.name]?.isEmpty == false, "the variable that is wrong is there")
            try require(!error.description.utf8.contains { $0 < 0x20 }, "a message is one line")
            return
        }
        var capital = variables
        capital["HTTP_PROXY"] = "http://attacker:1"
        try require(try ProxyEnvironment(capital) == environment, "HTTP_PROXY is never read")
        for scheme in [HTTPURL.Scheme.http, .https] {
            let url = try HTTPURL(parsing: "\(scheme.rawValue)://h.example/")
            let proxy = environment.proxy(for: url)
            let expected = scheme == .http ? environment.http : environment.https
            let isExcepted = environment.exceptions.matches(host: "h.example")
            try require(proxy == (isExcepted ? nil : expected), "each scheme has its own")
        }
    }

    /// `USER:PASSWORD` is split at its first colon, and fits in one field.
    package static let credentials = InputProperty("credentials") { input in
        let text = input.text
        let credentials = Credentials(userAndPassword: text)
        guard case .basic(let user, let password) = credentials else {
            throw Violation(description: "a user and a password are basic credentials")
        }
        try require(!user.utf8.contains(0x3A), "a user has no colon")
        let joined = text.utf8.contains(0x3A) ? "\(user):\(password)" : user
        try require(isSame(joined, text), "nothing is lost")
        try requireOneLine(credentials)
        try requireOneLine(.bearer(token: text))
    }
}

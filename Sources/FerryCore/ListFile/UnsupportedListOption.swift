/// Options of aria2 that are refused in a list: without them, a download would do what no one asked for.
package enum UnsupportedListOption: String, Hashable, Sendable, CaseIterable {
    case dryRun = "dry-run"
    case hashCheckOnly = "hash-check-only"
    case conditionalGet = "conditional-get"
    case loadCookies = "load-cookies"
    case saveCookies = "save-cookies"
    case allProxyUser = "all-proxy-user"
    case allProxyPassword = "all-proxy-passwd"
    case httpProxyUser = "http-proxy-user"
    case httpProxyPassword = "http-proxy-passwd"
    case httpsProxyUser = "https-proxy-user"
    case httpsProxyPassword = "https-proxy-passwd"

    /// Whether a value asks for nothing, so that the option can be ignored.
    func isIdle(_ value: String) -> Bool {
        switch self {
        case .dryRun, .hashCheckOnly, .conditionalGet: value == "false"
        default: value.isEmpty
        }
    }
}

/// A program that runs the scenarios: Ferry, or a peer with its own flags for resuming.
enum Contender: String, CaseIterable, Sendable {
    case ferry
    case curl
    case wget
    case wget2
    case aria2c
    case aria2next = "aria2-next"

    /// The path of the program; `nil` if it is not installed.
    var path: String? { self == .ferry ? Repository.ferry : Tool(rawValue).path }

    /// Its command line for the same task as `ferry get` with `arguments`.
    func commandLine(for arguments: [String], proposesName: Bool) -> [String] {
        let wish = Wish(arguments)
        return switch self {
        case .ferry: ["get"] + arguments
        case .curl: wish.curl(proposesName)
        case .wget: wish.wget(["-nv", "--no-config", "--no-hsts", "--waitretry=0"], proposesName)
        case .wget2: wish.wget(["-nv", "--no-config", "--no-hsts", "--waitretry=0"], proposesName)
        case .aria2c, .aria2next: wish.aria2()
        }
    }

    /// The task of a `ferry get` command.
    private struct Wish {
        var url = ""
        /// Other URLs of the same file. Only aria2 accepts them.
        var mirrors: [String] = []
        var name: String?
        var directory: String?
        var retries = "0"
        var timeout: String?
        var user: String?
        var fields: [String] = []
        var isInsecure = false

        init(_ arguments: [String]) {
            var rest = arguments[...]
            while let word = rest.popFirst() {
                switch word {
                case "-o": name = rest.popFirst()
                case "-d": directory = rest.popFirst()
                case "--mirror": mirrors.append(rest.popFirst() ?? "")
                case "-H": fields.append(rest.popFirst() ?? "")
                case "--retries": retries = rest.popFirst() ?? retries
                case "--timeout": timeout = rest.popFirst()
                case "--user": user = rest.popFirst()
                case "--insecure": isInsecure = true
                case "--checksum", "--on-change", "--max-redirects": _ = rest.popFirst()
                default: if !word.hasPrefix("-") { url = word }
                }
            }
        }

        func curl(_ proposesName: Bool) -> [String] {
            var words = ["-q", "-fsSL", "--retry", retries]
            words += name.map { ["-C", "-", "-o", $0] } ?? (proposesName ? ["-OJ"] : ["-C", "-", "-O"])
            if let directory { words += ["--output-dir", directory] }
            if let timeout { words += ["--speed-limit", "1", "--speed-time", timeout] }
            if let user { words += ["-u", user] }
            if isInsecure { words.append("-k") }
            return words + fields.flatMap { ["-H", $0] } + [url]
        }

        func wget(_ first: [String], _ proposesName: Bool) -> [String] {
            var words = first + ["-c", "--tries=\((Int(retries) ?? 0) + 1)"]
            if let name { words += ["-O", name] }
            if let directory { words += ["-P", directory] }
            if proposesName { words.append("--content-disposition") }
            if let timeout { words.append("--timeout=\(timeout)") }
            if let parts = user?.split(separator: ":"), parts.count == 2 {
                words += ["--user=\(parts[0])", "--password=\(parts[1])", "--auth-no-challenge"]
            }
            if isInsecure { words.append("--no-check-certificate") }
            return words + fields.map { "--header=\($0)" } + [url]
        }

        func aria2() -> [String] {
            var words = [
                "--no-conf", "--quiet", "-c", "--max-tries=\((Int(retries) ?? 0) + 1)", "--retry-wait=1",
            ]
            words += ["-x4", "-s4", "-k1M", "--auto-file-renaming=false"]
            if let name { words += ["-o", name] }
            if let directory { words += ["-d", directory] }
            if let timeout { words.append("--timeout=\(timeout)") }
            if let parts = user?.split(separator: ":"), parts.count == 2 {
                words += ["--http-user=\(parts[0])", "--http-passwd=\(parts[1])"]
            }
            if isInsecure { words.append("--check-certificate=false") }
            return words + fields.map { "--header=\($0)" } + [url] + mirrors
        }
    }
}

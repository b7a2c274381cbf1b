/// Options of curl, wget, aria2 and age that Ferry does not have, and their replacements.
enum ForeignOption {
    /// Advice on an option that the parser refused; `nil` if it is no foreign one.
    ///
    /// - Parameters:
    ///   - option: the option as the parser names it: one of several in a word, or the word.
    ///   - words: the command line after the program's name.
    static func advice(on option: String, in words: [String]) -> String? {
        let command = words.first { Invocation.commandNames.contains($0) } ?? ""
        let option = option == "-n" ? longerThanLetter(in: words) ?? option : option
        if let flag = flag(withNumber: option, in: words, of: command) {
            return "\(flag): \(numbered[flag] ?? "it takes no value")."
        }
        let given = value(of: option, in: words)
        if let known = replacement(of: option, given, in: command) { return "\(option): \(known)." }
        guard option.count > 2, !option.hasPrefix("--") else { return nil }
        let (first, rest) = (String(option.prefix(2)), String(option.dropFirst(2)))
        // A value may be attached, as in -T5 and -XPOST.
        if first == "-X" || rest.allSatisfy(\.isNumber),
            let known = replacement(of: first, rest, in: command)
        {
            return "\(first): \(known)."
        }
        let letters = option.dropFirst().map { "-\($0)" }
        let known = letters.compactMap { letter in
            replacement(of: letter, given, in: command).map { "\(letter): \($0)" }
        }
        return known.count == letters.count ? known.joined(separator: "; ") + "." : nil
    }

    /// An option of wget with two letters. The parser refuses the `n` alone if it knows the other letter.
    private static func longerThanLetter(in words: [String]) -> String? {
        words.prefix { $0 != "--" }.first { ["-nc", "-nd", "-nH", "-np", "-nv"].contains($0) }
    }

    /// Advice on aria2's `-s4` and `-s6`, which the parser takes for `-s -4` and `-s -6`, as curl does; `nil` if a line has none. Beside
    /// `-x` they are meant as in aria2: in curl, that is the proxy.
    static func adviceOnSplit(in line: ArraySlice<String>) -> String? {
        let words = line.dropFirst().prefix { $0 != "--" }
        guard ["get", "add", "adopt"].contains(line.first), words.contains(where: { $0.hasPrefix("-x") }),
            let split = words.first(where: { ["-s4", "-s6"].contains($0) }), let family = split.last
        else { return nil }
        return "\(split): it is --quiet and -\(family); leave it out, \(connections). "
            + "To mean both flags, type -q -\(family)."
    }

    /// The flag that a number is attached to, as in aria2's `-s16` and `-k1M`. The parser takes each character of the number
    /// for an option.
    private static func flag(
        withNumber option: String,
        in words: [String],
        of command: String
    ) -> String? {
        guard option.count == 2, let part = option.last else { return nil }
        for word in words.prefix(while: { $0 != "--" }) where word.hasPrefix("-") {
            let flags = word.dropFirst().prefix { $0.isLetter }
            let number = word.dropFirst(1 + flags.count)
            guard let first = flags.first, let last = flags.last, number.first?.isNumber == true,
                !ShortOption.valued(of: command).contains(first), number.contains(part)
            else { continue }
            return "-\(last)"
        }
        return nil
    }

    /// What takes the place of an option; `nil` for an unknown one.
    static func replacement(of option: String, _ value: String?, in command: String) -> String? {
        if command == "seal" { return sealing[option] }
        if ["open", "cat"].contains(command) { return opening[option] ?? sealing[option] }
        return replacement(of: option, by: value, in: command) ?? tables[command]?[option] ?? table[option]
            ?? answers[option]
    }

    /// The replacement of an option that depends on its value.
    private static func replacement(of option: String, by value: String?, in command: String) -> String? {
        guard let value else { return nil }
        // In axel a number of connections, in curl a flag.
        if option == "-n", !value.isEmpty, value.allSatisfy(\.isNumber) { return connections }
        let isDownload = ["get", "add"].contains(command)
        // In aria2 a flag with a value, elsewhere a directory.
        if option == "-P", isDownload, ["true", "false"].contains(value) {
            return answers["--parameterized-uri"]
        }
        // In curl a time, in wget a flag.
        let isTime = option == "--max-time" || (option == "-m" && value.first?.isNumber == true)
        if isTime, command == "get" { return limit }
        if isTime, ["put", "send", "mirror"].contains(command) {
            return "`timeout SECONDS ferry \(command) …` stops after a time, and `ferry run` resumes"
        }
        // In wget a time, in curl a file.
        if option == "-T", isDownload { return value.first?.isNumber == true ? nil : upload }
        guard ["-X", "--request", "--method"].contains(option) else { return nil }
        return switch value.uppercased() {
        case "GET" where isDownload: "leave it out, `ferry \(command)` sends a GET"
        case "HEAD" where isDownload: looks
        case "PUT" where command == "put": "leave it out, `ferry put` sends a PUT"
        default: nil
        }
    }

    /// The word after an option, what an `=` joins to it, or the number behind its letter.
    private static func value(of option: String, in words: [String]) -> String? {
        for (index, word) in words.enumerated() where word.hasPrefix("-") {
            if word.hasPrefix(option + "=") { return String(word.dropFirst(option.count + 1)) }
            let attached = word.dropFirst(option.count)
            if option.count == 2, word.hasPrefix(option), attached.first?.isNumber == true {
                return String(attached)
            }
            let isLast = !word.hasPrefix("--") && option.count == 2 && word.last == option.last
            if word == option || isLast { return index + 1 < words.count ? words[index + 1] : nil }
        }
        return nil
    }

    static let leftOut = "leave it out"
    static let looks = "`ferry get -I` prints what the server says of a file, and downloads nothing"
    static let upload = "`ferry put FILE URL` sends a file"
    static let mirror = FamiliarWord.mirror
    static let retriesAnyway = "leave it out, ferry retries these anyway"

    private static let goesOn = "leave it out, ferry always resumes"
    private static let ownName =
        "leave it out, the file gets its name from the server or the URL; -o sets another name"
    private static let redirects = "leave it out, redirects are followed; --max-redirects sets the limit"
    private static let anyCertificate = "--insecure verifies no certificate"
    private static let clientKey = "--cert-key FILE names the private key of --cert"
    private static let directory = "-d DIRECTORY sets where files are saved"
    private static let time = "`ferry get -R` gives a file the server's time"
    private static let coding = "leave it out, ferry asks for files without compression"
    private static let silent = "-q prints errors only"
    private static let savedCookies = "`ferry get --save-cookies FILE URL` saves the cookies that servers set"
    private static let retries = "--retries COUNT sets the number of retries"
    static let rate = "--limit-rate RATE limits the speed"
    private static let connections = "-x COUNT uses up to COUNT connections"
    private static let ownConnections =
        "`ferry get -x COUNT` and `ferry add -x COUNT` take it; elsewhere the setting `connections` applies"
    private static let jobs = "-j COUNT runs up to COUNT transfers at once"
    private static let ownJobs = "`ferry run -j COUNT` takes it; elsewhere the setting `jobs` applies"
    private static let onlyIPv4 = "-4 connects over IPv4 only"
    private static let onlyIPv6 = "-6 connects over IPv6 only"
    private static let interface = "--interface NAME names the interface or local address"
    private static let socks = "--proxy names it with its protocol, such as socks5h://host:port"
    private static let tries = "\(retries), --timeout SECONDS the time without data"
    private static let failures = "leave it out, HTTP errors already fail"
    private static let progress = "leave it out, ferry shows the progress on a terminal"
    static let changed = "-N downloads a file again only if it has changed"

    private static let netrc =
        "leave it out, ferry reads ~/.netrc anyway; -x COUNT sets the number of connections"
    private static let fields = "-vv prints the header fields on standard error"
    private static let query = "write the query in the URL, such as 'https://host/path?name=value'"
    static let blocks = "-i LIST names a file of URLs, each with its options below it"
    private static let delay =
        "leave it out, ferry waits one second to five minutes, longer each time, or as the server's Retry-After says"
    private static let limit = "`ferry get --max-time SECONDS` stops after a time"
    private static let deadline = "`ferry get --not-after 10m` begins no attempt after 10 minutes"
    private static let entityTag =
        "leave it out, ferry keeps the ETag itself; \(changed)"
    static let credentials = "--user NAME:PASSWORD gives credentials"
    static let noDirectories = "leave it out, `ferry get` makes no directories"
    static let http1 = "leave it out, ferry speaks HTTP/1.1"
    static let lowSpeed = "--low-speed-limit SIZE sets the lowest speed"
    static let lowSpeedTime = "--low-speed-time SECONDS sets how long the speed may be too low"
    static let proxy = "--proxy URL names a proxy"
    static let newTLS = "leave it out, ferry uses TLS 1.2 or 1.3, whichever is newer at the server"
    private static let scheme = "leave it out, ferry uses only HTTP and HTTPS"

    private static let method = "the method comes before the URL, as in `ferry send POST URL`"
    private static let body = "`ferry send METHOD URL --data TEXT` sends a body, --data-file FILE a file"
    static let form = "`ferry send METHOD URL --form NAME=VALUE` sends the fields of a form"

    /// What the flags of Ferry mean that take a number in aria2.
    private static let numbered = [
        "-s": "it is --quiet and takes no value; `ferry get -x COUNT` uses up to COUNT connections",
        "-k": "it is --insecure and takes no value; ferry divides a file itself",
    ]

    static let table: [String: String] = [
        "-c": goesOn, "-C": goesOn, "--continue": goesOn, "--continue-at": goesOn,
        "-O": ownName, "-J": ownName, "--remote-name": ownName, "--remote-header-name": ownName,
        "--content-disposition": ownName, "--output-document": "-o FILE names the file",
        "--out": "-o FILE names the file", "--url": "leave it out, the URL is an argument",
        "-L": redirects, "--location": redirects, "--no-location": "--max-redirects 0 refuses redirects",
        "--max-redirect": "it is called --max-redirects",
        "--no-check-certificate": anyCertificate, "--check-certificate": anyCertificate,
        "--ca-certificate": "--cacert FILE names the certificates to trust",
        "--certificate": "it is called --cert",
        "--key": clientKey, "--private-key": clientKey,
        "-P": directory, "--directory-prefix": directory, "--output-dir": directory,
        "-R": time, "--remote-time": time, "--use-server-timestamps": time,
        "--no-use-server-timestamps": "leave it out, only -R gives a file the server's time",
        "--compressed": coding, "--compression": coding,
        "--no-verbose": silent,
        "-#": progress, "--progress-bar": progress,
        "-U": "--user-agent TEXT sets the User-Agent",
        "-nc": "--no-clobber fetches nothing when the file exists",
        "-b":
            "-H 'Cookie: …' or --load-cookies FILE sends cookies, and `ferry add` downloads in the background",
        "--background": "`ferry add` downloads in the background",
        "--cookie": "-H 'Cookie: …' or --load-cookies FILE sends cookies",
        "--cookie-jar": savedCookies, "--save-cookies": savedCookies,
        "--http-user": credentials,
        "--http-password": credentials,
        "--password": credentials,
        "--ask-password": "--user NAME asks for the password",
        "--oauth2-bearer": "--bearer TOKEN sends a token",
        "--location-trusted": "credentials stay with their host, and no option changes that",
        "-n": netrc, "--netrc": netrc, "--netrc-optional": netrc, "--num-connections": connections,
        "-x": ownConnections,
        "-V": "--version prints the version",
        "-nd": noDirectories,
        "-nv": silent, "--remote-name-all": ownName, "--http1.1": http1,
        "-t": tries, "--tries": retries, "--retry": retries, "--max-tries": retries,
        "--retry-connrefused": retriesAnyway,
        "--retry-all-errors":
            "leave it out, ferry retries errors that may pass; `ferry get --retry-on CODES` adds others",
        "-T": "--timeout SECONDS fails an attempt without data",
        "--max-download-limit": rate, "--max-overall-download-limit": rate,
        "--split": connections, "--max-connection-per-server": connections,
        "-j": ownJobs, "--jobs": ownJobs, "--max-concurrent-downloads": jobs, "-Z": jobs, "--parallel": jobs,
        "--parallel-max": jobs,
        "-m": "\(mirror); \(limit); \(retries)",
        "-Y": lowSpeed,
        "-y": lowSpeedTime,
        "--recursive": mirror, "-np": mirror, "--no-parent": mirror, "-nH": mirror,
        "--no-host-directories": mirror,
        "--input-file": "-i LIST names a file of URLs", "--all-proxy": proxy,
        "--http-proxy": proxy, "--https-proxy": proxy,
        "--inet4-only": onlyIPv4, "--disable-ipv6": onlyIPv4, "--inet6-only": onlyIPv6,
        "--bind-address": interface,
        "--socks4": socks, "--socks4a": socks, "--socks5": socks, "--socks5-hostname": socks,
        "-f": failures, "--fail": failures, "--fail-with-body": failures,
        "-X": method, "--request": method, "--method": method, "--upload-file": upload,
        "-I": "`ferry send --wait HEAD URL` sends a HEAD request",
        "--spider": looks, "-z": changed, "--time-cond": changed,
        "--data": body, "--data-raw": body, "--data-ascii": body, "--data-binary": body, "--post-data": body,
        "--body-data": body, "--post-file": body, "--body-file": body,
        "-F": form, "--data-urlencode": form, "--form-string": form,
        "-D": fields, "--dump-header": fields, "--include": fields, "--server-response": fields,
        "-G": query, "--url-query": query, "--next": blocks,
        "-K": "\(blocks); --config FILE reads settings in JSON",
        "--retry-delay": delay, "--retry-wait": delay, "--waitretry": delay, "--retry-max-time": deadline,
        "--no-progress-meter": silent, "--etag-save": entityTag, "--etag-compare": entityTag,
        "--tlsv1": newTLS, "--tlsv1.0": newTLS, "--tlsv1.1": newTLS, "--tlsv1.2": newTLS,
        "--tlsv1.3": newTLS, "--proto": scheme, "--proto-redir": scheme,
    ]
}

/// Options of curl, wget, aria2 and age that Ferry does not have, and their replacements.
enum ForeignOption {
    /// Advice for a command line that the parser refused; `nil` if it has no foreign option.
    static func advice(_ words: [String]) -> String? {
        let end = words.firstIndex(of: "--") ?? words.endIndex
        let command = words.first { !$0.hasPrefix("-") } ?? ""
        let table = ["seal", "open", "cat"].contains(command) ? sealing : table
        for word in words[..<end] where word.hasPrefix("-") {
            let name = String(word.prefix { $0 != "=" })
            if let known = table[name] { return "\(name): \(known)." }
            guard name.count > 2, !name.hasPrefix("--") else { continue }
            let letters = name.dropFirst().map { "-\($0)" }
            let known = letters.compactMap { letter in table[letter].map { "\(letter): \($0)" } }
            if known.count == letters.count { return known.joined(separator: "; ") + "." }
        }
        return nil
    }

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
    private static let rate = "--limit-rate RATE limits the speed"
    private static let connections = "-x COUNT uses up to COUNT connections"
    private static let jobs = "-j COUNT runs up to COUNT transfers at once"
    private static let ownJobs = "`ferry run -j COUNT` takes it; elsewhere the setting `jobs` counts"
    private static let onlyIPv4 = "-4 connects over IPv4 only"
    private static let onlyIPv6 = "-6 connects over IPv6 only"
    private static let interface = "--interface NAME names the interface or local address"
    private static let socks = "--proxy names it with its protocol, such as socks5h://host:port"
    private static let failures = "leave it out, HTTP errors already fail"

    private static let mirror = "`ferry mirror URL DIRECTORY` copies a directory with all that is in it"

    private static let method = "the method comes before the URL, as in `ferry send POST URL`"
    private static let body = "`ferry send METHOD URL --data TEXT` sends a body, --data-file FILE a file"
    private static let form = "`ferry send METHOD URL --form NAME=VALUE` sends the fields of a form"

    private static let table: [String: String] = [
        "-c": goesOn, "-C": goesOn, "--continue": goesOn, "--continue-at": goesOn,
        "-O": ownName, "-J": ownName, "--remote-name": ownName, "--remote-header-name": ownName,
        "--content-disposition": ownName, "--output-document": "-o FILE names the file",
        "--out": "-o FILE names the file",
        "-L": redirects, "--location": redirects, "--max-redirect": "it is called --max-redirects",
        "--max-redirs": "it is called --max-redirects",
        "--no-check-certificate": anyCertificate, "--check-certificate": anyCertificate,
        "--ca-certificate": "--cacert FILE names the certificates to trust",
        "--certificate": "it is called --cert",
        "--key": clientKey, "--private-key": clientKey,
        "-P": directory, "--directory-prefix": directory, "--output-dir": directory,
        "-R": time, "--remote-time": time, "--use-server-timestamps": time,
        "--no-use-server-timestamps": "leave it out, only -R gives a file the server's time",
        "--compressed": coding, "--compression": coding,
        "-S": silent, "--show-error": silent, "--no-verbose": silent,
        "-U": "--user-agent TEXT sets the User-Agent",
        "-nc": "--no-clobber fetches nothing when the file exists",
        "-b":
            "-H 'Cookie: …' or --load-cookies FILE sends cookies, and `ferry add` downloads in the background",
        "--background": "`ferry add` downloads in the background",
        "--cookie": "-H 'Cookie: …' or --load-cookies FILE sends cookies",
        "--cookie-jar": savedCookies, "--save-cookies": savedCookies,
        "--http-user": "--user NAME:PASSWORD gives credentials",
        "--http-password": "--user NAME:PASSWORD gives credentials",
        "--password": "--user NAME:PASSWORD gives credentials",
        "--ask-password": "--user NAME asks for the password",
        "--location-trusted": "credentials stay with their host, and no option changes that",
        "-n": connections, "--num-connections": connections, "-V": "--version prints the version",
        "-nv": silent, "--remote-name-all": ownName, "--http1.1": "leave it out, ferry speaks HTTP/1.1",
        "-t": retries, "--tries": retries, "--retry": retries, "--max-tries": retries,
        "-T": "--timeout SECONDS fails an attempt without data",
        "--max-download-limit": rate, "--max-overall-download-limit": rate,
        "--split": connections, "--max-connection-per-server": connections,
        "-j": ownJobs, "--jobs": ownJobs, "--max-concurrent-downloads": jobs, "-Z": jobs, "--parallel": jobs,
        "--parallel-max": jobs,
        "-m": mirror, "--recursive": mirror,
        "--input-file": "-i LIST names a file of URLs", "--all-proxy": "--proxy URL names a proxy",
        "--http-proxy": "--proxy URL names a proxy", "--https-proxy": "--proxy URL names a proxy",
        "--inet4-only": onlyIPv4, "--disable-ipv6": onlyIPv4, "--inet6-only": onlyIPv6,
        "--bind-address": interface,
        "--socks4": socks, "--socks4a": socks, "--socks5": socks, "--socks5-hostname": socks,
        "-f": failures, "--fail": failures, "--fail-with-body": failures,
        "-X": method, "--request": method, "--method": method,
        "-I": "`ferry send --wait HEAD URL` sends a HEAD request",
        "--data": body, "--data-raw": body, "--data-ascii": body, "--data-binary": body, "--post-data": body,
        "--body-data": body, "--post-file": body, "--body-file": body,
        "-F": form, "--data-urlencode": form, "--form-string": form,
    ]

    private static let recipient = "--to RECIPIENT names a recipient"
    private static let recipientFile = "--to-file FILE names a file of recipients"
    private static let decrypts = "leave it out, `ferry open` decrypts"
    private static let encrypts = "leave it out, `ferry seal` encrypts"
    private static let armor = "leave it out, ferry opens files in ASCII armor and writes none"

    /// The options of age.
    private static let sealing: [String: String] = [
        "-r": recipient, "--recipient": recipient, "-R": recipientFile, "--recipients-file": recipientFile,
        "-p": "--passphrase asks for a passphrase", "-a": armor, "--armor": armor,
        "-d": decrypts, "--decrypt": decrypts, "-e": encrypts, "--encrypt": encrypts,
    ]
}

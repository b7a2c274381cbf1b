/// The answers of docs/COMING-FROM.md to options that no other table has.
extension ForeignOption {
    /// The answers, by option.
    static let answers: [String: String] = groups.reduce(into: [:]) { answers, group in
        for option in group.options.split(separator: " ") { answers[String(option)] = group.answer }
    }

    /// An answer, and the options that it is for, with blanks between them.
    typealias Group = (answer: String, options: String)
    static let groups: [Group] = done + elsewhere + refused + missing

    private static let messages = "-v 2> FILE writes messages into a file"
    private static let metalink = "--metalink DOCUMENT reads a Metalink"

    /// What needs no option.
    private static let done: [Group] = [
        (
            "leave it out, ferry does so anyway",
            """
            --no-buffer --basic --proxy-basic --socks5-basic --suppress-connect-headers --no-npn --no-sessionid \
            --tcp-nodelay --no-keepalive --parallel-immediate --auth-no-challenge --no-hsts --cut-file-get-vars \
            --reuse-uri --truncate-console-readout --retry-on-host-error --metalink-over-http --fsync-policy \
            --async-dns --rlimit-nofile --human-readable --http-keep-alive --enable-http-keep-alive
            """
        ),
        (
            "leave it out, no unfinished file has the final name; `ferry cancel ID` removes the part file",
            "--remove-on-error"
        ),
        (
            "leave it out, ferry shows a bar on a terminal, and prints a line every five seconds elsewhere",
            "--progress --show-progress --force-progress"
        ),
        ("leave it out, --no-color turns colours off", "--enable-color --styled-output"),
        (newTLS, "-1 --tls-max --secure-protocol --min-tls-version"),
        (http1, "-0 --http1.0 --http0.9 --proxy1.0 --no-alpn"),
        (
            "leave it out, ferry speaks HTTP/1.1 only",
            "--http2 --http2-prior-knowledge --http3 --http3-only --alt-svc --http2-request-window"
        ),
        (
            "leave it out, ferry tunnels https through a proxy, and forwards http; -p of wget is for web pages",
            "-p --proxytunnel --proxy-method"
        ),
        (
            "leave it out, ferry always uses TLS for https",
            "--ssl-reqd --ssl --ftp-ssl-reqd --ftp-ssl"
        ),
        (
            "leave it out, redirects from https to http are refused without --allow-downgrade",
            "--https-only --https-enforce"
        ),
        (noDirectories, "--no-directories --directories"),
        ("leave it out, ferry replaces unsafe characters in names", "--restrict-file-names"),
        (
            "leave it out, ferry divides a file itself; -x COUNT sets the number of connections",
            "--chunk-size --min-split-size --piece-length --allow-piece-length-change"
        ),
        (
            "leave it out, ferry records every transfer before it begins, and `ferry resume` resumes it",
            """
            --save-session --save-session-interval --force-save --keep-unfinished-download-result \
            --auto-save-interval --save-not-found --local-db --always-resume --max-resume-failure-tries
            """
        ),
        ("leave it out, ferry reserves the space of a file", "--file-allocation --no-file-allocation-limit"),
        ("leave it out, `ferry add -i` adds a list in parts", "--deferred-input"),
        ("leave it out, {a,b} and [1-100] in a URL are separate downloads", "--parameterized-uri"),
        ("leave it out, each URL is a download of its own; --mirror URL adds a server", "--force-sequential"),
        (
            "leave it out, ferry verifies a file before it gets its name; `ferry verify` checks it again",
            "--check-integrity --realtime-chunk-checksum"
        ),
        (
            "leave it out, an address that does not answer delays the next one by 250 ms only",
            "--happy-eyeballs-timeout-ms --prefer-family"
        ),
    ]

    /// What has another name, or another command.
    private static let elsewhere: [Group] = [
        ("the shell does it: 2> FILE, or 2>> FILE to append", "--stderr --output-file --append-output -a"),
        ("\(mirror); \(messages)", "-l --level"),
        (messages, "--log"),
        (
            "-q, -v and -vv set how much is printed; -vv prints the header fields",
            """
            --trace --trace-ascii --trace-time --debug --log-level --console-log-level --show-console-readout \
            --save-headers
            """
        ),
        (
            "--cert FILE names a client certificate; to add a suffix to names, as in wget, is not supported yet",
            "-E"
        ),
        ("`man ferry` is the manual; \(metalink)", "-M --manual"),
        (
            metalink,
            "--input-metalink --metalink-file --follow-metalink --force-metalink"
        ),
        (blocks, "-:"),
        ("write it in the URL", "--get --cut-url-get-vars --default-http-port --default-https-port"),
        ("--config /dev/null reads no settings", "--disable --no-config --no-conf"),
        ("--config FILE reads settings in JSON", "--conf-path"),
        (lowSpeed, "--speed-limit --lowest-speed-limit"),
        (lowSpeedTime, "--speed-time"),
        (rate, "--max-speed"),
        (form, "--form --form-escape"),
        ("`ferry get s3://BUCKET/KEY` signs requests to S3", "--aws-sigv4"),
        (
            "write both in the URL, as in --proxy http://NAME:PASSWORD@HOST:PORT",
            """
            --proxy-user --proxy-password --http-proxy-user --http-proxy-password --all-proxy-user \
            --all-proxy-passwd --http-proxy-passwd --https-proxy-user --https-proxy-passwd
            """
        ),
        ("--no-proxy LIST names hosts without a proxy", "--noproxy"),
        (credentials, "--http-passwd"),
        ("--netrc-file FILE names the file", "--netrc-path"),
        ("--insecure verifies nothing at all", "--check-hostname --no-check-hostname"),
        (
            "--resolve HOST:PORT:ADDRESS names another address; another port is not supported yet",
            "--connect-to"
        ),
        ("--range OFFSET- fetches the rest of a file", "--start-pos"),
        (
            "-o PATH/FILE --create-dirs makes directories; \(mirror)",
            "--force-directories --protocol-directories --cut-dirs --host-directories"
        ),
        ("-o NAME names the file", "--trust-server-names --default-page"),
        ("-o /dev/null keeps no file", "--delete-after"),
        ("--auto-rename keeps both files", "--backups --auto-file-renaming"),
        ("--overwrite replaces a file, --no-clobber keeps it", "--allow-overwrite --clobber --unlink"),
        (changed, "--conditional-get"),
        ("it is called --keep-mismatch", "--keep-badhash"),
        ("--connect-timeout SECONDS limits look-up, connecting and TLS", "--dns-timeout"),
        ("--timeout SECONDS fails an attempt without data", "--read-timeout --keepalive-time"),
        ("-H 'Cache-Control: no-cache' asks for it", "--no-cache --http-no-cache"),
        ("`ferry send --wait GET URL` prints the body of a refusal", "--content-on-error"),
        ("--load-cookies FILE and --save-cookies FILE keep cookies", "--cookies --no-cookies"),
        ("`ferry list --all --json` prints what was transferred", "--stats-site"),
        ("-j COUNT sets how many files, -x COUNT how many connections for one", "--max-threads"),
        ("`ferry cancel ID` removes it; ferry writes no control file", "--remove-control-file"),
        ("`ferry prune --keep COUNT` shortens the list", "--max-download-result"),
        ("`ferry add URL` downloads later, `ferry pause ID` pauses", "--pause"),
        ("--first fetches from the front", "--stream-piece-selector"),
        ("--max-time SECONDS stops the command", "--stop"),
        ("`ferry verify FILE --checksum DIGEST` checks a file", "--hash-check-only"),
        ("`ferry add URL` adds to the queue, `ferry run --forever` runs it as a service", "--daemon"),
        ("--on-complete COMMAND runs a command", "--on-download-complete"),
        ("--on-fail COMMAND runs a command", "--on-download-error"),
        ("--tag NAME gives a transfer a name", "--gid"),
        ("--mirror URL names another server of the file", "--search --uri-selector"),
        ("--json prints events with the bytes received", "--percentage --summary-interval --report-speed"),
        (
            "`ferry add`, `list`, `watch`, `pause` and `edit` steer transfers of any process, also with --json",
            """
            --enable-rpc --rpc-listen-port --rpc-listen-all --rpc-secret --rpc-user --rpc-passwd --rpc-secure \
            --rpc-allow-origin-all --rpc-max-request-size --rpc-certificate --rpc-private-key \
            --rpc-save-upload-metadata
            """
        ),
        (
            "ferry follows no links of web pages; \(mirror), with --include PATTERN and --exclude PATTERN",
            """
            --convert-links --convert-file-only --backup-converted --page-requisites --strict-comments \
            --accept --reject --accept-regex --reject-regex --regex-type --domains --exclude-domains --follow-tags --ignore-tags \
            --span-hosts --relative --include-directories --exclude-directories --rejected-log --ignore-case \
            --parent --filter-urls --filter-mime-type --robots
            """
        ),
    ]

    /// What ferry does not offer, and why.
    private static let refused: [Group] = [
        ("not offered, the length shows whether a file is whole", "--ignore-content-length --ignore-length"),
        ("not offered, ferry compares URLs, and resolves .. for that", "--path-as-is"),
        ("not offered, a host with a path is taken for https", "--proto-default"),
        ("not offered, such a body cannot be resumed", "--tr-encoding --raw --http-accept-gzip"),
        ("not offered, it is insecure", "-2 --sslv2 -3 --sslv3 --ssl-allow-beast"),
        (
            "not offered, it is for Windows",
            """
            --ssl-auto-client-cert --ssl-no-revoke --ssl-revoke-best-effort --proxy-ssl-auto-client-cert
            """
        ),
        ("not offered, random data comes from the system", "--egd-file --random-file"),
        (
            "not offered, ferry speaks HTTP and HTTPS only, not BitTorrent",
            """
            --seed-time --seed-ratio --torrent-file --follow-torrent --listen-port --enable-dht --dht-listen-port \
            --enable-peer-exchange --peer-id-prefix --bt-max-peers --bt-tracker --bt-stop-timeout --bt-save-metadata
            """
        ),
        ("not offered, it belongs to another tool", "--libcurl --gnutls-options --event-poll"),
        ("not offered, browsers have removed HPKP", "--hpkp --hpkp-file"),
        ("not offered, ferry compares the entity tag too", "--no-if-modified-since"),
        (
            "not offered, ferry takes UTF-8 only, and a host in Punycode",
            "--no-iri --iri --local-encoding --remote-encoding --input-encoding"
        ),
        (
            "not offered, an application uses the library Ferry instead",
            "--list-plugins --local-plugin --plugin --plugin-dirs --plugin-help --plugin-opt"
        ),
        ("not offered, ferry opens more connections instead", "--enable-http-pipelining"),
        ("not offered, ferry writes at once", "--disk-cache --enable-mmap --max-mmap-limit"),
        ("not offered, the answer to the first GET says the same", "--use-head"),
    ]

    /// What ferry cannot do yet.
    private static let missing: [Group] = [
        (
            "not supported yet, ferry sends Basic and Bearer only; --checksum DIGEST checks a file",
            "--digest"
        ),
        (
            "not supported yet, ferry sends Basic and Bearer only",
            """
            --anyauth --ntlm --ntlm-wb --negotiate --delegation --service-name --http-auth-challenge \
            --proxy-anyauth --proxy-digest --proxy-negotiate --proxy-ntlm --proxy-service-name
            """
        ),
        (
            "not supported yet, ferry reaches a proxy without TLS only",
            """
            --proxy-cacert --proxy-capath --proxy-cert --proxy-cert-type --proxy-ciphers --proxy-crlfile \
            --proxy-insecure --proxy-key --proxy-key-type --proxy-pass --proxy-pinnedpubkey \
            --proxy-ssl-allow-beast --proxy-tls13-ciphers --proxy-tlsauthtype --proxy-tlspassword \
            --proxy-tlsuser --proxy-tlsv1
            """
        ),
        ("not supported yet, --cacert FILE takes one file", "--capath --ca-directory"),
        (
            "not supported yet, certificates and keys are PEM without a password",
            "--pass --cert-type --key-type --certificate-type --private-key-type"
        ),
        (
            "not supported yet, ferry does not ask whether a certificate was revoked",
            "--crlfile --cert-status --crl-file --ocsp --ocsp-file --ocsp-stapling"
        ),
        (
            "not supported yet, names are looked up by the system; --resolve HOST:PORT:ADDRESS gives one",
            """
            --dns-interface --dns-ipv4-addr --dns-ipv6-addr --dns-servers --dns-cache --no-dns-cache \
            --bind-dns-address --async-dns-server --enable-async-dns6 --doh-url --doh-insecure --doh-cert-status
            """
        ),
        (
            "not supported yet, a list has one URL on each line",
            "-B --base --force-html --force-css --force-sitemap --force-atom --force-rss"
        ),
        (
            "not supported yet, --checksum-file FILE takes digests, not signatures",
            "--verify-sig --signature-extensions --gnupg-homedir --verify-save-failed"
        ),
        ("not supported yet, a POST becomes a GET after 301, 302 and 303", "--post301 --post302 --post303"),
        ("not supported yet, ferry waits one second", "--expect100-timeout"),
        ("not supported yet, a host without a scheme is taken for https", "--hsts --hsts-file"),
        ("not supported yet, FERRY_… variables give settings", "--execute"),
        ("not supported yet, --netrc-file can be a pipe", "--use-askpass"),
        ("not supported yet, ferry fails at the first 404", "--max-file-not-found"),
        ("not supported yet, --max-filesize SIZE limits each file", "-Q --quota"),
        ("not supported yet, the first failure does not stop the others", "--fail-early"),
        ("not supported yet, --wait SECONDS waits between downloads", "--rate --random-wait"),
        (
            "not supported yet",
            """
            --create-file-mode --xattr --request-target --disallow-username-in-url --junk-session-cookies \
            --socks5-gssapi --socks5-gssapi-nec --socks5-gssapi-service --preproxy --proxy-header --engine \
            --pinnedpubkey --ciphers --tls13-ciphers --curves --tlsauthtype --tlspassword --tlsuser --false-start \
            --local-port --unix-socket --abstract-unix-socket --tcp-fastopen --haproxy-protocol \
            --adjust-extension --html-extension --metalink-index --preferred-location --no-http-keep-alive \
            --warc-file --warc-header --warc-max-size --warc-cdx --warc-dedup --no-warc-compression \
            --no-warc-digests --no-warc-keep-log --warc-tempdir --stats-all --stats-dns --stats-ocsp \
            --stats-server --stats-tls --cookie-suffixes --tls-false-start --tls-resume --tls-session-file \
            --content-disposition-default-utf8 --server-stat-if --server-stat-of --server-stat-timeout \
            --optimize-concurrent-downloads --multiple-interface --socket-recv-buffer-size --stop-with-process \
            --metalink-base-uri --metalink-language --metalink-location --metalink-os --metalink-version \
            --metalink-preferred-protocol --metalink-enable-unique-protocol --pause-metadata \
            --on-download-start --on-download-pause --on-download-stop --download-result --alternate \
            --select-file --show-files
            """
        ),
    ]
}

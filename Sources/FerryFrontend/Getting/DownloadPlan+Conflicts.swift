import Ferry

extension DownloadPlan {
    /// Refuses options that contradict one another.
    static func checkConflicts(_ input: DownloadInput) throws(CommandFailure) {
        try checkSources(input)
        if input.request.user != nil, input.request.bearer != nil {
            throw .usage("--user and --bearer cannot be used together.")
        }
        if input.request.netrcFile != nil, input.request.ignoresNetrc {
            throw .usage("--netrc-file and --no-netrc cannot be used together.")
        }
        if input.connection.insecure, input.connection.certificateAuthorityFile != nil {
            throw .usage(
                "--insecure and --cacert cannot be used together: --insecure verifies no certificate."
            )
        }
        if input.connection.keyFile != nil, input.connection.certificateFile == nil {
            throw .usage("--cert-key needs --cert.")
        }
        if input.connection.ipv4, input.connection.ipv6 {
            throw .usage("--ipv4 and --ipv6 cannot be used together. Without either, both are used.")
        }
        if input.connection.lowSpeedTime != nil, input.connection.lowSpeedLimit == nil {
            throw .usage(
                "--low-speed-time needs --low-speed-limit."
            )
        }
        if input.output == "-", input.existing != nil {
            throw .usage(
                "--\(input.existing?.flagName ?? "") cannot be used with standard output."
            )
        }
    }

    /// Checks the options that name downloads and their digests.
    private static func checkSources(_ input: DownloadInput) throws(CommandFailure) {
        let hasOthers = input.list != nil || !input.metalink.isEmpty
        guard !input.urls.isEmpty || hasOthers else {
            throw .usage(
                "No URL given.",
                hint: "Give a URL, a list with -i, or a --metalink."
            )
        }
        if !input.mirror.isEmpty, input.urls.count != 1 || hasOthers {
            throw .usage(
                "--mirror can be used only with a single URL.",
                hint: "In a list (-i), URLs with tabs between them are mirrors of the first."
            )
        }
        let digests = [
            input.checksum.map { _ in "--checksum" },
            input.checksumFile.map { _ in "--checksum-file" },
            input.checksumSidecar ? "--checksum-sidecar" : nil,
        ].compactMap { $0 }
        if digests.count > 1 {
            throw .usage("\(digests[0]) and \(digests[1]) cannot be used together.")
        }
        let readers = [input.list, input.checksumFile].compactMap { $0 } + input.metalink
        if readers.count(where: { $0 == "-" }) > 1 {
            throw .usage(
                "Standard input can be read only once: as a list, a Metalink or a file of checksums."
            )
        }
    }

    /// Checks what depends on the number of transfers.
    func checkTogether() throws(CommandFailure) {
        if count > 1 {
            if terms.output != nil {
                throw .usage(
                    "-o names one file, but there are \(count) downloads.",
                    hint: "Use -d for a directory."
                )
            }
            if terms.options.checksum != nil {
                throw .usage(
                    "--checksum is for one file, but there are \(count) downloads.",
                    hint: "Use --checksum-file, or in a list (-i) a line checksum=sha256=HEX below each URL."
                )
            }
        }
        if let conflict = census?.conflict { throw conflict }
    }
}

extension ExistingFilePolicy {
    /// The flag without its hyphens.
    fileprivate var flagName: String {
        switch self {
        case .fail: ""
        case .overwrite: "overwrite"
        case .noClobber: "no-clobber"
        case .autoRename: "auto-rename"
        }
    }
}

import Ferry

extension DownloadPlan {
    /// Refuses options that contradict one another.
    static func checkConflicts(_ arguments: DownloadArguments) throws(CommandFailure) {
        try checkSources(arguments)
        if arguments.request.user != nil, arguments.request.bearer != nil {
            throw .usage("--user and --bearer cannot be used together.")
        }
        if arguments.request.netrcFile != nil, arguments.request.ignoresNetrc {
            throw .usage("--netrc-file and --no-netrc cannot be used together.")
        }
        if arguments.connection.insecure, arguments.connection.certificateAuthorityFile != nil {
            throw .usage(
                "--insecure and --cacert cannot be used together: --insecure verifies no certificate."
            )
        }
        if arguments.connection.lowSpeedTime != nil, arguments.connection.lowSpeedLimit == nil {
            throw .usage(
                "--low-speed-time needs --low-speed-limit."
            )
        }
        if arguments.output == "-", arguments.existing != nil {
            throw .usage(
                "--\(arguments.existing?.flagName ?? "") cannot be used with standard output."
            )
        }
    }

    /// Checks the options that name downloads and their digests.
    private static func checkSources(_ arguments: DownloadArguments) throws(CommandFailure) {
        let hasOthers = arguments.list != nil || !arguments.metalink.isEmpty
        guard !arguments.urls.isEmpty || hasOthers else {
            throw .usage(
                "No URL given.",
                hint: "Give a URL, a list with -i, or a --metalink."
            )
        }
        if !arguments.mirror.isEmpty, arguments.urls.count != 1 || hasOthers {
            throw .usage(
                "--mirror can be used only with a single URL.",
                hint: "In a list (-i), URLs with tabs between them are mirrors of the first."
            )
        }
        let digests = [
            arguments.checksum.map { _ in "--checksum" },
            arguments.checksumFile.map { _ in "--checksum-file" },
            arguments.checksumSidecar ? "--checksum-sidecar" : nil,
        ].compactMap { $0 }
        if digests.count > 1 {
            throw .usage("\(digests[0]) and \(digests[1]) cannot be used together.")
        }
        let readers = [arguments.list, arguments.checksumFile].compactMap { $0 } + arguments.metalink
        if readers.count(where: { $0 == "-" }) > 1 {
            throw .usage(
                "Standard input can be read only once: as a list, a Metalink or a file of checksums."
            )
        }
    }

    /// Checks what depends on the number of transfers.
    func checkTogether() throws(CommandFailure) {
        if transfers.count > 1 {
            if terms.output != nil {
                throw .usage(
                    "-o names one file, but there are \(transfers.count) downloads.",
                    hint: "Use -d for a directory."
                )
            }
            if terms.options.checksum != nil {
                throw .usage(
                    "--checksum is for one file, but there are \(transfers.count) downloads.",
                    hint: "Use --checksum-file, or in a list (-i) a line checksum=sha256=HEX below each URL."
                )
            }
        }
        var seen: [String: Int] = [:]
        for (index, transfer) in transfers.enumerated() {
            if let first = seen.updateValue(index, forKey: transfer.specification.identity) {
                let url = transfers[first].specification.url.redacted
                throw .usage("Duplicate URL with the same destination: \(url).")
            }
        }
        var named: [Destination: String] = [:]
        for transfer in transfers where terms.options.existingFile != .autoRename {
            let destination = transfer.specification.destination
            guard case .file(_, .some(let name)) = destination else { continue }
            if named.updateValue(name.rawValue, forKey: destination) != nil {
                throw .usage(
                    "Two downloads would be saved as \(name.rawValue).",
                    hint: "Give each its own name."
                )
            }
        }
    }
}

extension DownloadArguments.ExistingFile {
    /// The flag without its hyphens.
    fileprivate var flagName: String {
        switch self {
        case .overwrite: "overwrite"
        case .noClobber: "no-clobber"
        case .autoRename: "auto-rename"
        }
    }
}

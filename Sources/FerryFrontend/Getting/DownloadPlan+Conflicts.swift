import Ferry

extension DownloadPlan {
    /// Refuses options that contradict one another.
    static func checkConflicts(_ input: DownloadInput) throws(CommandFailure) {
        try checkSources(input)
        try input.request.checkConflicts()
        try input.connection.checkConflicts()
        if input.output == "-", input.existing != nil {
            throw .usage(
                "--\(input.existing?.flagName ?? "") cannot be used with standard output."
            )
        }
    }

    /// Checks the options that name downloads and their digests.
    private static func checkSources(_ input: DownloadInput) throws(CommandFailure) {
        let hasOthers = input.list != nil || !input.metalink.isEmpty
        guard !input.urls.isEmpty || hasOthers else { throw .nothingToDownload }
        if !input.mirror.isEmpty, input.urls.count != 1 || hasOthers {
            throw .usage(
                "--mirror can be used only with a single URL.",
                hint: "In a list (-i), URLs with tabs between them are mirrors of the first."
            )
        }
        if input.request.store.objectVersion != nil, input.urls.count != 1 || hasOthers {
            throw .usage("--version-id can be used only with a single URL.")
        }
        let ofWholes = [
            input.metalink.isEmpty ? nil : "--metalink", input.checksumFile.map { _ in "--checksum-file" },
            input.checksumSidecar ? "--checksum-sidecar" : nil,
        ].compactMap { $0 }
        if input.range != nil, let other = ofWholes.first {
            throw .usage("--range and \(other) cannot be used together: the digests are of whole files.")
        }
        let digests = [
            input.checksum.map { _ in "--checksum" },
            input.checksumFile.map { _ in "--checksum-file" },
            input.checksumSidecar ? "--checksum-sidecar" : nil,
        ].compactMap { $0 }
        if digests.count > 1 {
            throw .usage("\(digests[0]) and \(digests[1]) cannot be used together.")
        }
        let readers = [input.list, input.checksumFile].compactMap { $0 } + input.metalink + input.sealToFiles
        if readers.count(where: { $0 == "-" }) > 1 {
            throw .usage(
                "Standard input can be read only once: as a list, a Metalink, or a file of checksums or recipients."
            )
        }
    }

    /// Checks what depends on the number of transfers.
    func checkTogether() throws(CommandFailure) {
        if count > 1 {
            if terms.output == "-" || terms.output == "/dev/stdout" {
                throw .usage(
                    "Standard output takes one download, but there are \(count).",
                    hint: "Repeat the command for each URL."
                )
            }
            if terms.output != nil, terms.template == nil {
                throw .usage(
                    "-o names one file, but there are \(count) downloads.",
                    hint: "Use -d for a directory, or a name for each, such as -o '{n:03}-{name}'."
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

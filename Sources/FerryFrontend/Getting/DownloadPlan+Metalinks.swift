package import Ferry

extension DownloadPlan {
    /// Adds a transfer for each file of a Metalink.
    mutating func add(metalink bytes: [UInt8], from source: DocumentSource) throws(CommandFailure) {
        let metalink: Metalink
        do {
            metalink = try Metalink(parsing: bytes)
        } catch {
            throw .usage("\(source.name): \(error)", hint: "Nothing was downloaded or added.")
        }
        var isWithheld = false
        for file in metalink.files {
            let file = DescribedFile(file: file, source: source)
            guard let url = file.urls.first else {
                throw .usage(
                    "\(source.name) names no HTTP URL for \(file.file.name.rawValue).",
                    hint: "Nothing was downloaded or added."
                )
            }
            if terms.options.hasSecrets, !file.takesSecrets(to: url) { isWithheld = true }
            described[singles.count] = file
            if terms.output == nil, let folder = file.folder { folders.insert(Array(folder.utf8)) }
            add(try file.transfer(from: url, under: terms))
        }
        if isWithheld {
            notes.append(
                "Header fields and credentials are sent to \(source.url?.hostAndPort ?? "") only; the Metalink names other servers."
            )
        }
    }

    /// The specifications that an earlier transfer of a Metalink's file may have: one for each of its URLs.
    package var describedSpecifications: [DownloadSpecification] {
        described.flatMap { index, file in
            file.urls.map { url in
                var specification = singles[index].specification
                specification.url = url
                return specification
            }
        }
    }

    private func isSame(_ transfer: Transfer, as file: DescribedFile, at index: Int) -> Bool {
        transfer.download?.specification.destination == singles[index].specification.destination
            && file.urls.contains(transfer.work.url)
    }

    /// Gives each file of a Metalink that was begun earlier the URL of the earlier transfer. A document may list the URLs
    /// in another order for another client, and repeating the command must find the earlier transfers.
    ///
    /// - Parameter known: the existing transfers; unfinished ones take precedence, and of several the latest.
    package mutating func useURLs(of known: [Transfer]) throws(CommandFailure) {
        for (index, file) in described {
            let wanted = singles[index].specification
            let same = known.filter { isSame($0, as: file, at: index) }
            let unfinished = same.filter { $0.state != .completed }
            let candidates = unfinished.isEmpty ? same : unfinished
            guard
                let former = candidates.last(where: { $0.work.url == wanted.url }) ?? candidates.last
            else { continue }
            var transfer = try file.transfer(from: former.work.url, under: terms)
            transfer.specification.options.checksum = wanted.options.checksum
            singles[index] = transfer
        }
    }
}

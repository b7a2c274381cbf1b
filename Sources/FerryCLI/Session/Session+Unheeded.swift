import Ferry
import FerryFrontend

extension Session {
    /// Reports options that have no effect, because the transfer was added earlier without them and keeps its options.
    func tellUnheeded(_ asked: [PlannedDownload], _ transfers: [Transfer]) {
        for (new, transfer) in zip(asked, transfers) {
            let options = transfer.unheeded(of: new.specification.options).map(\.option)
            guard !options.isEmpty else { continue }
            let verb = options.count == 1 ? "has" : "have"
            console.warning(
                "\(options.joined(separator: ", ")) \(verb) no effect: transfer \(transfer.id) was added earlier without "
                    + "\(options.count == 1 ? "it" : "them"). To change that: `ferry pause \(transfer.id)`, then repeat this command."
            )
        }
    }

    /// Reports that the rate limit of the command line does not change how fast other processes run transfers.
    func tellUnheeded(_ rate: CommandRate?, _ announcements: [Announcement]) {
        let followed = announcements.compactMap { announcement -> (id: TransferID, process: Int32)? in
            let transfer = announcement.transfer
            guard !transfer.state.isFinal, case .attached(let process?) = announcement.news else {
                return nil
            }
            return (transfer.id, process)
        }
        if let warning = rate?.warning(about: followed) { console.warning(warning) }
    }
}

extension SharedOption.Permission {
    /// The option that gives it.
    fileprivate var option: String {
        switch self {
        case .anyCertificate: "--insecure"
        case .downgrade: "--allow-downgrade"
        case .noServerDigests: "--ignore-server-digests"
        case .mirrors: "--mirror"
        }
    }
}

import FerryCore

/// The only place in the engine that distinguishes the kinds of work.
extension Scheduler {
    /// Makes the runner of an attempt at a transfer.
    func runner(for transfer: Transfer, _ claim: Claim) -> any AttemptRunner {
        let rates = [queueRates.bucket(of: transfer.queue), rate.bucket]
        switch transfer.work {
        case .download(let work):
            return DownloadRunner(
                work,
                of: transfer,
                claim: claim,
                seams: seams,
                configuration: configuration,
                hub: hub,
                streams: streams,
                hosts: hosts,
                network: network,
                rates: rates,
                finishing: { [weak self] in self?.noteFinishing(transfer.id) }
            )
        case .request(let work):
            return RequestRunner(
                work,
                of: transfer,
                claim: claim,
                seams: seams,
                configuration: configuration,
                hub: hub,
                network: network,
                rates: rates
            )
        }
    }
}

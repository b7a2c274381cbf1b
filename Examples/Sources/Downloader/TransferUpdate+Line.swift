import Ferry

extension TransferUpdate {
    /// How the transfer stands, in a line for a person.
    var line: String {
        switch transfer.state {
        case .queued: "\(amount): about to begin"
        case .active: "\(amount)\(pace)"
        case .waiting(let condition): "\(amount) kept: waiting for \(name(of: condition))"
        case .paused: "\(amount) kept: paused"
        case .completed, .failed, .cancelled: "\(amount): \(transfer.state.name)"
        }
    }

    /// What a transfer that cannot go on now waits for. It goes on by itself when that has come, whatever it is.
    private func name(of condition: WaitCondition) -> String {
        switch condition {
        case .network: "the network"
        case .applicationInactive: "the application, which is in the background"
        case .retry: "the server (\(transfer.latestFailure?.message ?? "it is tried again"))"
        case .diskSpace(let needed): "\(ByteCount(needed).formatted) of free space"
        case .diskMount: "the disk with its part file"
        case .dependency: "other transfers"
        case .window: "its time window"
        case .newURL: "a new URL"
        }
    }

    private var amount: String {
        let received = ByteCount(progress.received).formatted
        return progress.total.map { "\(received) of \(ByteCount($0).formatted)" } ?? received
    }

    /// How fast it is and how long that takes, once it is known.
    private var pace: String {
        guard let speed = progress.bytesPerSecond else { return "" }
        return ", \(ByteCount(Int64(speed)).formatted)/s, \(TimeLeft(progress.timeLeft)) left"
    }
}

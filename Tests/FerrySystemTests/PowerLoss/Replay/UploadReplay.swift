/// What must hold for the upload of a flow after a power cut.
///
/// What names the upload at its server must be durable before bytes of the file leave, so that no one else has to remove
/// them. The server did not lose power: it is as the requests that had left by then made it.
struct UploadReplay: Sendable {
    let recording: Recording
    let host: UploadHost
    let flow: Flow
    /// The states of the server while the flow was recorded, from the first on.
    private let history: [UploadHost.Moment]

    init(recording: Recording, host: UploadHost, flow: Flow) {
        (self.recording, self.host, self.flow) = (recording, host, flow)
        history = host.takeHistory()
    }

    /// Makes the server what it was at a cut.
    func restore(cut: Int, latestArrived: Bool) {
        let left = recording.departures(before: cut).count
        host.restore(history[min(max(0, latestArrived ? left : left - 1), history.count - 1)])
    }

    /// What is wrong after recovery.
    ///
    /// - Parameters:
    ///   - former: the list that the power cut left.
    ///   - requests: the requests that recovery sent.
    ///   - promised: whether the command that uploads had ended.
    func violations(
        in rows: [ListedRequest],
        formerly former: [ListedRequest],
        after requests: [ScriptedRequest],
        cut: Int,
        promised: Bool
    ) -> [String] {
        guard let upload = flow.upload else { return [] }
        var wrong: [String] = []
        let departures = recording.departures(before: cut)
        if former.isEmpty, !departures.isEmpty { wrong.append("I3: the upload has begun and is lost") }
        let begun = requests.count { $0.method == "POST" && !upload.completes($0.path) }
        let hasName = departures.contains(where: upload.carries)
        if hasName, begun > 0, !departures.contains(where: upload.completes) {
            wrong.append("I3: bytes of the file had left, and another upload was begun")
        }
        if promised || former.first?.state == "completed" {
            if rows.first?.state != "completed" { wrong.append("I8: the upload was completed: \(rows)") }
            if !requests.isEmpty { wrong.append("I8: the upload was completed, and more of it was sent") }
        }
        guard let row = rows.first else { return wrong }
        if row.state != "completed" { wrong.append("in the end the upload is \(row)") }
        let objects = host.objects
        if objects.count != 1 { wrong.append("made \(objects.count) times") }
        if objects.contains(where: { $0 != Array(upload.content.bytes) }) {
            wrong.append("I1: another file has arrived")
        }
        // One upload may be left without bytes, because its name was lost.
        if host.open.begun > 0 || host.open.empty > 1 { wrong.append("the server still holds \(host.open)") }
        return wrong
    }
}

import Ferry

/// The words for each remedy, in terms of this tool.
extension Remedy {
    /// The words for this step; `nil` if it is of no use here.
    func phrase(about subject: Advice.Subject) -> Advice.Phrase? {
        switch self {
        case .removePartFile where !subject.hasPartFile: return nil
        // The source names it.
        case .checkURL where subject.isOfMirror && subject.id != nil: return nil
        case .retry where subject.isOfMirror:
            return .clause("then", "repeat the `ferry mirror` line to try again")
        case .retry:
            if let id = subject.retriable { return .clause("and", "`ferry retry \(id)` tries again") }
            guard !subject.isInterruptible else { return .clause("then", "repeat the command to try again") }
            guard subject.isResumableAsFile else {
                return .clause("then", "repeat the `ferry get` line to try again")
            }
            return .clause(
                "then",
                "repeat the `ferry get` line to start over; with -o FILE it can be resumed"
            )
        case .fetchAgain:
            if let id = subject.retriable { return .clause("and", "`ferry retry \(id)` fetches it again") }
            return .clause("then", "repeat the `ferry get` line to fetch it again")
        case .sendAgain:
            return .clause(
                "then",
                "send a new request with `ferry send` or `ferry put`, or from the program that added it"
            )
        case .addWithOtherOptions:
            return subject.id.map {
                .sentence("Type `ferry remove \($0)` first, then \(subject.kind.replacement).")
            }
        case .addWithoutDigest:
            return subject.id.map {
                .sentence("To fetch it without a checksum: `ferry remove \($0)`, then `ferry get` again.")
            }
        case .callAgain:
            return .clause("then", "repeat the command")
        case .restartAdoption,
            .restartOnChange where subject.command.adopts:
            return .option("--on-change restart to delete the file and fetch the present version")
        // `ferry add` has no such option.
        case .continueFile where subject.command == .adding:
            return .sentence(
                "`ferry get --adopt` with its URL continues it if an interrupted download left it."
            )
        case .giveCredentials where subject.retriable == nil || subject.isOfMirror:
            return .option("--user NAME:PASSWORD to send credentials")
        case .giveHeaders where subject.retriable == nil || subject.isOfMirror:
            return .option("-H 'NAME: VALUE' to send other fields")
        default:
            if let option { return .option(option) }
            let sentence = sentence ?? subject.id.flatMap(command) ?? subject.retriable.flatMap(change)
            return sentence.map { .sentence($0) }
        }
    }

    /// The option of `ferry get` with which to add the same download again, and its purpose.
    private var option: String? {
        switch self {
        case .giveOtherDigest: "another --checksum if this one is wrong"
        case .continueFile: "--adopt to continue it if an interrupted download left it"
        case .overwrite: "--overwrite to replace it"
        case .autoRename: "--auto-rename to keep both"
        case .chooseOtherName: "-o NAME to choose another name"
        case .chooseOtherDirectory: "-d DIRECTORY to choose another directory"
        case .restartOnChange: "--on-change restart to take the present version"
        case .saveAsSent(let suffix): "-o NAME.\(suffix) to save it as sent"
        case .ignoreServerDigests: "--ignore-server-digests to accept the file"
        case .allowLongerFile: "--max-filesize SIZE to allow a longer file"
        case .allowDowngrade: "--allow-downgrade to follow it anyway"
        case .trustCertificates: "--cacert FILE to trust the certificates in a PEM file"
        case .giveClientCertificate: "--cert FILE to present a client certificate in a PEM file"
        case .giveOtherClientCertificate:
            "--cert FILE to present another client certificate, as the server did not accept this one"
        case .skipVerification: "--insecure to connect without verification, if you know why"
        case .chooseOtherProxy: "--proxy http://HOST:PORT to use another proxy"
        case .giveProxyCredentials: "--proxy http://NAME:PASSWORD@HOST:PORT to send credentials to the proxy"
        default: nil
        }
    }

    /// The sentence of a step that does not depend on the transfer.
    private var sentence: String? {
        switch self {
        case .checkURL: "Check the URL."
        case .checkScheme: "Check the port, and whether the URL should begin with http://."
        case .checkNetwork:
            "Check whether this machine is online, and which name servers /etc/resolv.conf lists."
        case .checkPermissions: "Check its owner and mode with `ls -l`."
        case .checkDisk: "Check the disk and the system's log."
        case .mountDisk: "Mount the disk."
        case .openInBrowser: "Open the URL in a browser."
        case .freeSpace: "Free some space."
        case .raiseFileLimit: "Raise the limit on open files with `ulimit -n`, or use fewer connections."
        case .createDirectory(let path): "`mkdir -p \(ShellWord.quoted(path))` creates it."
        case .createFIFO: "Create a FIFO with `mkfifo`."
        case .moveAway: "Move it away."
        case .moveAwayUnlessNeeded:
            "It may belong to a transfer that `ferry list` shows; if not, move it away."
        case .decryptKey(let path):
            "`openssl pkey -in \(ShellWord.quoted(path)) -out NEWFILE` writes it without a pass phrase."
        case .renameBack(let name): "Rename it back to \(name)."
        case .sendCopy: "Copy what you need of it to a regular file, and send that."
        case .addAgain: "`ferry get` with its URL adds it again."
        case .sendToTarget:
            "If you trust that server, send a new request to that URL with `ferry send`. A request with --no-key follows the redirect."
        case .addWithDigest: "Give its digest with --checksum sha256=HEX."
        case .fetchWhole: "Without --range, `ferry get` fetches the whole file."
        case .replaceFile: "`ferry get --overwrite` with its URL fetches it again."
        case .retryFirst(let other): "Retry transfer \(other) first with `ferry retry \(other)`."
        case .confirmFirst(let other):
            "Ask the server whether transfer \(other) took effect. Then type `ferry resolve \(other) --sent` or `ferry resolve \(other) --not-sent`."
        case .acceptLossFirst(let other):
            "`ferry resolve \(other) --sent` counts transfer \(other) as completed."
        case .retryInOrder(let other):
            "If their order matters, retry transfer \(other) first with `ferry retry \(other)`."
        case .cancelFirst(let other): "`ferry cancel \(other)` ends transfer \(other)."
        case .resumeOther(let other): "`ferry resume \(other)` resumes transfer \(other)."
        case .letQueueWait(let queue):
            "`ferry queue set \(queue) --overflow wait` lets new transfers wait instead."
        case .waitOrSaveToFile:
            "Repeat the command when that transfer has ended, or save to a file now with -o FILE."
        case .listTransfers: "`ferry list` shows the existing ones."
        case .follow: "`ferry watch` shows the progress; repeat the command to follow it."
        case .chooseOtherStore: "`--data-dir DIRECTORY` or FERRY_DATA_DIR names another place for the store."
        case .moveStoreAway: "Move it away and ferry creates a new one; part files stay where they are."
        case .onlyRead: "`ferry list` and `ferry show` only read it."
        case .updateFerry: "Update ferry."
        default: nil
        }
    }

    /// The sentence of a step that names the transfer.
    private func command(for id: TransferID) -> String? {
        switch self {
        case .pause: "Pause it with `ferry pause \(id)`."
        case .cancel: "`ferry cancel \(id)` ends transfer \(id)."
        case .remove: "`ferry remove \(id)` removes transfer \(id) from the list."
        case .removePartFile: "`ferry remove \(id)` removes its part file."
        case .leaveAtServer: "`ferry cancel --keep-part \(id)` leaves it there."
        case .giveDigest: "Give one with `ferry verify --checksum sha256=HEX \(id)`."
        case .confirmArrival:
            "Ask the server whether it took effect. Then type `ferry resolve \(id) --sent` or `ferry resolve \(id) --not-sent`."
        case .countAsArrived:
            "If an attempt has arrived, `ferry resolve \(id) --sent` counts it as completed."
        case .readResponse: "`ferry show --body \(id)` prints what the server answered."
        case .acceptLoss:
            "`ferry show --body \(id)` prints what is kept. `ferry resolve \(id) --sent` counts it as completed."
        case .reportDefect: "This is a defect in Ferry: report what `ferry show \(id)` prints."
        default: nil
        }
    }

    /// The sentence of a step that changes the transfer for its next attempt.
    private func change(of id: TransferID) -> String? {
        switch self {
        case .giveURL: "`ferry edit \(id) --url URL` gives another one."
        case .giveCredentials: "`ferry edit \(id) --user NAME:PASSWORD` sets credentials."
        case .giveDeadline: "`ferry edit \(id) --not-after TIME` gives it a later deadline."
        case .giveHeaders: "`ferry edit \(id) -H 'NAME: VALUE'` sets other fields."
        case .dropOrder:
            "To run it without waiting for others, type `ferry edit \(id) --after none`, then `ferry resume \(id)`."
        default: nil
        }
    }
}

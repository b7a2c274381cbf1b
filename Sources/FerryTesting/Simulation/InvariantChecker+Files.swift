import FerryCore
internal import Synchronization

/// The invariants of the files.
extension InvariantChecker {
    /// Checks a file that got its final name.
    func published(_ identity: FileIdentity) {
        let node = files.disk.withLock { $0.nodes[identity.inode] }
        guard let node else { return }
        let live = node.live.read(0..<node.live.length)
        if !node.durable.read(0..<node.durable.length).hasSameBytes(as: live) {
            trace.complain("I1: file \(identity.inode) was published before all of it was durable")
        }
    }

    /// Checks a file whose bytes are about to change: a final file never changes.
    func willChange(_ identity: FileIdentity, _ operation: FileFault.Operation) {
        if state.withLock({ $0.published.contains(identity.inode) }) {
            trace.complain("I1: \(operation.rawValue) to file \(identity.inode), which is published")
        }
    }

    /// Checks a completed row: the file exists, and stays there whatever happens.
    func checkCompletion(of transfer: Transfer) {
        guard case .file(let directory, let given) = transfer.specification.destination,
            let name = transfer.downloadProgress.name ?? given
        else { return }
        let (durable, live) = files.disk.withLock { disk in
            (disk.directories[directory]?.durable[name], disk.directories[directory]?.live[name])
        }
        // Whether another program's file survives a power loss is not guaranteed.
        let isLeftAlone =
            live != nil && transfer.specification.options.mayAcceptFile
            && live != transfer.downloadProgress.part?.identity.inode
        guard isLeftAlone || (durable != nil && durable == live) else {
            return trace.complain("I1: transfer \(transfer.id) is completed without a durable final file")
        }
        // An existing file was all that was wanted: another program's, or one that the same line fetched just
        // before. Others may have replaced it since.
        let isOwn = durable == transfer.downloadProgress.part?.identity.inode
        guard !isOwn, !namesMayClash, !isDoneAlready(transfer) else {
            return checkContent(of: transfer, isOwn: isOwn, name, in: directory)
        }
        trace.complain("I1: transfer \(transfer.id) is completed and another file has its name")
    }

    private func checkContent(
        of transfer: Transfer,
        isOwn: Bool,
        _ name: FileName,
        in directory: String
    ) {
        guard isOwn, let bytes = files.contents(of: name, in: directory) else { return }
        let site = state.withLock { $0.sites[transfer.id] }
        // For some errands, another program's file is enough.
        if transfer.specification.options.existingFile == .noClobber, namesMayClash { return }
        if !origin.isVersion(bytes, of: site) {
            trace.complain("I1: the file of transfer \(transfer.id) is no whole version of its resource")
        }
        if let checksum = transfer.specification.options.checksum,
            checksum != ReferenceDigest.digest(checksum.algorithm, of: bytes)
        {
            trace.complain("I1: the file of transfer \(transfer.id) has another digest")
        }
    }

    /// Checks the names after every change of them, and after a power loss: each final name has a complete
    /// file, and files from before are unchanged (I6).
    func checkNames(again: Bool = false) {
        pools.checkNames()
        guard let directory = files.disk.withLock({ $0.directories[SimulationScenario.directory] }) else {
            return
        }
        let known = state.withLock { state in
            if again { state.published = [] }
            return state
        }
        for (name, bystander) in known.bystanders {
            let isThere = directory.live[name] == bystander.identity.inode
            if isThere, files.contents(of: name, in: SimulationScenario.directory) ?? [] == bystander.bytes {
                continue
            }
            let mayReplace =
                answers.mayReplace(name)
                || scenario.errands.contains { $0.download?.options.existingFile == .overwrite }
            if !isThere, directory.live[name] != nil, mayReplace, !name.rawValue.hasSuffix(".part") {
                state.withLock { $0.bystanders[name] = nil }
            } else {
                trace.complain("I6: \(name) was not Ferry's, and is not as it was")
            }
        }
        for (name, inode) in directory.live {
            if known.bystanders[name]?.identity.inode == inode || known.published.contains(inode) { continue }
            if name.rawValue.hasSuffix(".part") { continue }
            let bytes = files.contents(of: name, in: SimulationScenario.directory) ?? []
            if let call = answers.call(named: name) {
                answers.check(bytes, named: name, of: call)
                state.withLock { _ = $0.published.insert(inode) }
            } else if origin.isVersion(bytes, of: nil) {
                state.withLock { _ = $0.published.insert(inode) }
            } else {
                trace.complain("I1: \(name) has \(bytes.count) bytes that are no whole version of anything")
            }
        }
    }
}

extension DownloadOptions {
    /// Whether an existing file may be all that is wanted, so that nothing is fetched.
    var mayAcceptFile: Bool { existingFile == .noClobber || existingFile == .fail && canProveFile }
}

extension SealedHeader {
    /// Whether the file is sealed with a passphrase, so that one must be asked for.
    package var isSealedWithPassphrase: Bool { stanzas.contains { $0.kind == Stanza.passphraseKind } }

    /// The file key, which one of the identities unwraps.
    ///
    /// - Parameter mostWork: the largest work factor of a passphrase that is accepted.
    /// - Throws: ``SealedProblem``: `wrongKey` if none does, `headerChanged` if the header is not as it was written.
    func fileKey(with identities: [Identity], mostWork: Int) throws(SealedProblem) -> FileKey {
        guard !isSealedWithPassphrase || stanzas.count == 1 else { throw .header(.mixedPassphrase) }
        for identity in identities {
            for stanza in stanzas {
                guard let key = try stanza.fileKey(with: identity, mostWork: mostWork) else { continue }
                guard key.authenticates(text, code) else { throw .headerChanged }
                return key
            }
        }
        throw .wrongKey(need)
    }

    /// What opens the header.
    private var need: SealedProblem.Need {
        if isSealedWithPassphrase { return .passphrase }
        if stanzas.contains(where: { $0.kind == Stanza.keyKind }) { return .identity }
        // The name is of the file's choice: only a plain word is shown.
        let known = stanzas.first { stanza in
            stanza.kind.utf8.count <= 40
                && stanza.kind.utf8.allSatisfy { Self.isPlain($0) }
        }
        return .otherKind(known?.kind ?? "unknown")
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D...0x2F, 0x5F: true
        default: false
        }
    }
}

extension Stanza {
    /// The file key, if it was wrapped for this identity; `nil` otherwise.
    fileprivate func fileKey(with identity: Identity, mostWork: Int) throws(SealedProblem) -> FileKey? {
        switch identity {
        case .passphrase(let passphrase): return try fileKey(with: passphrase, mostWork: mostWork)
        case .key(let identity):
            do throws(HeaderFault) {
                return try fileKey(with: identity)
            } catch {
                throw .header(error)
            }
        }
    }
}

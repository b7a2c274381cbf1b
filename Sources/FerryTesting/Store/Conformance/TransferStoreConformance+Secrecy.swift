import FerryCore
import Testing

/// The secrets of a transfer that a store keeps (I7).
extension TransferStoreConformance {
    static let secrecy: [Behaviour] = [
        Behaviour("keepsNoSecretOfWhatIsCompleted") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let held = try await store.beginSecret(for: owner)
            #expect(secrets(of: held.transfer) == Set(everySecret))
            let settlement = Settlement(.completed, progress: held.transfer.downloadProgress)
            let settled = try await store.settle(held.claim, as: settlement, at: Sample.start)
            #expect(secrets(of: settled) == [])
            let kept = try await store.existing(settled.id)
            #expect(kept == settled)
            let (former, bare) = (held.transfer.specification, kept.specification)
            #expect(bare.url.redacted == former.url.redacted, "it is shown as it was")
            #expect(bare.options.mirrors.map(\.redacted) == former.options.mirrors.map(\.redacted))
            #expect(bare.options.headers.map(\.name) == ["User-Agent"])
            #expect(bare.options.checksum == former.options.checksum)
            #expect(bare.expectedDigest(knowing: kept.downloadProgress) == former.options.checksum)
            #expect(bare.options.connection.proxy?.host == "proxy.example")
            #expect(kept.downloadProgress.part == held.transfer.downloadProgress.part)
            let mirrors = bare.options.mirrors.map { SourceID.mirror($0) }
            #expect(mirrors.map { kept.downloadProgress.mirroring.excluded[$0] } == [.bytes])
        },
        Behaviour("keepsNoSecretOfWhatIsCancelled") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let held = try await store.beginSecret(for: owner)
            _ = try await store.ask(.cancel(keepingPart: false), of: held.transfer.id, at: Sample.start)
            #expect(secrets(of: try await store.existing(held.transfer.id)) == Set(everySecret))
            // The last write of its owner contains them all again.
            let settlement = Settlement(.cancelled, progress: held.transfer.downloadProgress)
            let settled = try await store.settle(held.claim, as: settlement, at: Sample.start)
            #expect(secrets(of: settled) == [])
            #expect(try await store.existing(settled.id) == settled)
        },
        Behaviour("keepsNoSecretOfWhatIsCancelledWhileNoOneRunsIt") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let held = try await store.beginSecret(for: owner)
            _ = try await store.settle(
                held.claim,
                as: Settlement(.paused, progress: held.transfer.downloadProgress),
                at: Sample.start
            )
            let asked = try await store.ask(
                .cancel(keepingPart: false),
                of: held.transfer.id,
                holder: owner,
                at: Sample.start
            )
            let claim = try #require(asked.claim)
            #expect(secrets(of: asked) == [])
            let settled = try await store.settle(
                claim,
                as: Settlement(.cancelled, progress: asked.downloadProgress),
                at: Sample.start
            )
            #expect(try await store.existing(settled.id) == settled)
        },
        Behaviour("keepsTheSecretsOfWhatMayRunAgain") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let held = try await store.beginSecret(for: owner)
            let settled = try await store.settle(
                held.claim,
                as: Settlement(.failed(Sample.failure), progress: held.transfer.downloadProgress),
                at: Sample.start
            )
            #expect(secrets(of: settled) == Set(everySecret))
            #expect(try await store.existing(settled.id) == settled)
            let same = try await store.add(
                [NewTransfer(try secretSpecification())],
                holder: nil,
                at: Sample.start
            )
            #expect(same.map(\.transfer.id) == [settled.id])
        },
        Behaviour("findsWhatIsCompletedByTheURLWithItsSecrets") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let held = try await store.beginSecret(for: owner)
            let settled = try await store.settle(
                held.claim,
                as: Settlement(.completed, progress: held.transfer.downloadProgress),
                at: Sample.start
            )
            let same = try secretSpecification()
            let otherPassword = try secretSpecification(password: "another")
            let otherToken = try secretSpecification(token: "another")
            let masked = settled.specification
            let found = try await store.completed(like: [same, otherPassword, otherToken, masked])
            #expect(found.map { $0?.id } == [settled.id, settled.id, nil, nil])
            // The same may be fetched again, and the later one counts.
            let again = try await store.beginSecret(for: owner)
            #expect(again.transfer.id != settled.id)
            _ = try await store.settle(
                again.claim,
                as: Settlement(.completed, progress: again.transfer.downloadProgress),
                at: Sample.start
            )
            #expect(try await store.completed(like: [same]).map { $0?.id } == [again.transfer.id])
            try await store.forget([again.transfer.id])
            #expect(try await store.completed(like: [same]).map { $0?.id } == [settled.id])
        },
    ]

    /// Every secret of ``secretSpecification(password:token:)`` and of the progress beside it.
    private static let everySecret = [
        "s3cret-password", "s3cret-token", "s3cret-cookie", "s3cret-credentials", "s3cret-mirror",
        "s3cret-proxy",
        "s3cret-environment", "s3cret-source", "s3cret-discovery",
    ]

    /// The secrets that are still in a transfer.
    private static func secrets(of transfer: Transfer) -> Set<String> {
        let (options, mirroring) = (transfer.specification.options, transfer.downloadProgress.mirroring)
        let urls = [transfer.specification.url] + options.mirrors + mirroring.discovered
        let proxies = [options.connection.proxy, options.proxies?.https]
        let credentials = [options.credentials] + proxies.map { $0?.credentials }
        var texts = urls.map(\.absoluteString) + options.headers.map(\.value)
        for known in credentials {
            switch known {
            case .basic(_, let secret): texts.append(secret)
            case .bearer(let secret): texts.append(secret)
            case nil: break
            }
        }
        if let source = transfer.downloadProgress.source { texts.append(source) }
        return Set(everySecret.filter { secret in texts.contains { $0.contains(secret) } })
    }

    fileprivate static func secretSpecification(
        password: String = "s3cret-password",
        token: String = "s3cret-token"
    ) throws -> DownloadSpecification {
        var options = DownloadOptions()
        options.headers = [
            HeaderField(name: "Cookie", value: "s3cret-cookie"),
            HeaderField(name: "User-Agent", value: "test"),
        ]
        options.credentials = .bearer(token: "s3cret-credentials")
        options.checksum = Checksum(algorithm: .sha256, digest: [UInt8](repeating: 1, count: 32))
        options.mirrors = [try HTTPURL(parsing: "https://mirror.example/f?token=s3cret-mirror")]
        options.connection.proxy = try Proxy(parsing: "http://u:s3cret-proxy@proxy.example:1")
        options.proxies = try ProxyEnvironment(["https_proxy": "http://u:s3cret-environment@proxy.example:1"])
        return DownloadSpecification(
            url: try HTTPURL(parsing: "https://anna:\(password)@example.com/f?token=\(token)"),
            destination: .file(directory: "/downloads", name: nil),
            options: options
        )
    }
}

extension TransferStore {
    /// Adds a transfer full of secrets, and advances it as far as possible without losing one.
    fileprivate func beginSecret(for owner: OwnerID) async throws -> (transfer: Transfer, claim: Claim) {
        let specification = try TransferStoreConformance.secretSpecification()
        let added = try await add([NewTransfer(specification)], holder: nil, at: Sample.start)
        let id = try #require(added.first).transfer.id
        let claim = try await claimOne(id, for: owner).claim
        var progress = try Sample.progress(received: 1_000)
        progress.part = Sample.part
        progress.source = "https://example.com/f?licence=s3cret-source"
        progress.mirroring.discovery = Mirroring.Discovery(
            digest: Checksum(algorithm: .sha256, digest: [UInt8](repeating: 2, count: 32)),
            length: nil,
            mirrors: [try HTTPURL(parsing: "https://other.example/f?token=s3cret-discovery")]
        )
        for mirror in specification.options.mirrors {
            progress.mirroring.excluded[.mirror(mirror)] = .bytes
            progress.mirroring.provenance.note(0..<10, from: .mirror(mirror))
        }
        try await record(progress, for: claim, durability: .process, at: Sample.start)
        return (try await existing(id), claim)
    }
}

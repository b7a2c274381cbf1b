import FerryCore
import Testing

extension TransferStoreConformance {
    static let keeping: [Behaviour] = [
        Behaviour("keepsEveryFieldOfASpecification") { store in
            for (number, specification) in try specifications().enumerated() {
                var new = NewTransfer(
                    specification,
                    queue: number.isMultiple(of: 2) ? "q" : String(repeating: "Q-_.9", count: 12),
                    priority: .min + number
                )
                let addition = try await store.add([new], holder: nil, at: Instant(milliseconds: .max))
                let id = try #require(addition.first).transfer.id
                // The store creates it.
                new.uuid = addition[0].transfer.uuid
                let expected = Transfer(id: id, adding: new, at: Instant(milliseconds: .max))
                #expect(addition == [.added(expected)])
                let kept = try await store.existing(id)
                #expect(kept == expected)
                #expect(octets(of: kept) == octets(of: expected))
            }
        },
        Behaviour("keepsEveryFieldOfACheckpoint") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let added = try await store.addOne("file")
            let claim = try await store.claimOne(added.id, for: owner).claim
            for progress in try progresses() {
                try await store.record(
                    progress,
                    for: claim,
                    durability: .process,
                    at: Instant(milliseconds: .min)
                )
                let kept = try await store.existing(added.id)
                #expect(kept.downloadProgress == progress)
                #expect(kept.updated == Instant(milliseconds: .min))
            }
        },
        Behaviour("keepsTheLedgerOfAttempts") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let added = try await store.addOne("file", holder: owner)
            #expect(added.ledger == AttemptLedger())
            let claim = try await store.claimOne(added.id, for: owner).claim
            let moment = Sample.start + 1
            let later = Settlement(
                .waiting(.retry(at: moment)),
                progress: DownloadProgress(),
                ledger: Sample.ledger,
                isLeft: true
            )
            let settled = try await store.settle(claim, as: later, at: Sample.start)
            #expect(try await store.existing(added.id) == settled)
            var expected = Sample.ledger
            // Its process survived.
            expected.deaths = 0
            expected.left = Leaving(retryAt: moment)
            #expect(settled.ledger == expected)
            _ = try await store.requeue(added.id, holder: owner, at: Sample.start)
            let again = try await store.claimOne(added.id, for: owner).claim
            let released = Settlement(.queued, progress: DownloadProgress(), isLeft: true)
            expected.unknownHosts = 0
            expected.left = Leaving()
            #expect(try await store.settle(again, as: released, at: Sample.start).ledger == expected)
            #expect(try await store.existing(added.id).ledger == expected)
        },
        Behaviour("keepsEveryFailureAndCondition") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            for code in TransferFailure.Code.allCases {
                let added = try await store.addOne("file-\(code)")
                let claim = try await store.claimOne(added.id, for: owner).claim
                let text = "\u{0}\n\"'\\ 🚢"
                let remedies: [Remedy] = [.createDirectory(path: text), .retryFirst(added.id), .retry]
                let failure = TransferFailure(code, text, remedies: remedies, cause: code)
                let other = TransferFailure(.timeout, "")
                let settled = try await store.settle(
                    claim,
                    as: Settlement(
                        .failed(failure),
                        progress: DownloadProgress(),
                        failure: other,
                        attempts: .max - 1
                    ),
                    at: Sample.start
                )
                let kept = try await store.existing(added.id)
                #expect(kept == settled)
                #expect(kept.state == .failed(failure) && kept.latestFailure == other)
                #expect(try await store.attempts(of: added.id).last?.failure == other)
                // A request that has or may have arrived is never sent again.
                guard !code.needsResolution else { continue }
                _ = try await store.requeue(added.id, holder: nil, at: Sample.start)
            }
            for moment in [Int64.min, -1, 0, .max] {
                let name = "moment-\(moment)"
                let instant = Instant(milliseconds: moment)
                let waiting = try await store.addOne(name, in: .waiting(.retry(at: instant)), owner: owner)
                #expect(try await store.existing(waiting.id).state == .waiting(.retry(at: instant)))
                _ = try await store.ask(.pause, of: waiting.id, at: Sample.start)
            }
        },
    ]

    private static func specifications() throws -> [DownloadSpecification] {
        let url = try HTTPURL(parsing: "https://example.com/a/b?token=x%20y")
        var options = DownloadOptions()
        options.existingFile = .autoRename
        options.onChange = .keep
        options.strictResume = true
        options.headers = [
            HeaderField(name: "Cookie", value: "caf\u{E9}"),
            HeaderField(name: "", value: ""),
        ]
        options.credentials = .basic(user: "", password: "p:w 🔑")
        options.checksum = Checksum(algorithm: .sha512, digest: [UInt8](repeating: 0xAB, count: 64))
        options.ignoredQuery = ["token"]
        options.retries = .max
        options.redirectLimit = .min
        options.allowsDowngrade = true
        options.connection.certificateAuthorityFile = "/etc/ca 🗝.pem"
        options.connection.clientCertificate = ClientCertificate(
            certificateFile: "/etc/caf\u{E9}.pem",
            keyFile: "/etc/key 🗝.pem"
        )
        options.connection.trustsAnyCertificate = true
        options.connection.connectTimeout = .nanoseconds(1)
        options.connection.idleTimeout = .seconds(Int64.max / 1_000)
        options.connection.lowSpeedLimit = .max
        options.connection.lowSpeedTime = .zero
        options.connection.addressFamily = .ipv4
        options.connection.localAddress = "caf\u{E9}0"
        options.connection.hostOverrides = [try HostOverride(parsing: "h:1:[::1],127.0.0.1")]
        var decomposed = options
        decomposed.headers[0].value = "cafe\u{301}"
        let emoji = try FileName(userGiven: "🚢 Fähre \"1\".bin")
        return [
            DownloadSpecification(url: url, destination: .file(directory: "/", name: nil)),
            DownloadSpecification(
                url: url,
                destination: .file(directory: "/tmp/a b", name: emoji),
                options: options
            ),
            DownloadSpecification(
                url: url,
                destination: .file(directory: "", name: nil),
                options: decomposed
            ),
            DownloadSpecification(url: url, destination: .standardOutput, options: options),
            DownloadSpecification(url: url, destination: .stream(path: "/dev/🖨"), options: DownloadOptions()),
        ]
    }

    private static func progresses() throws -> [DownloadProgress] {
        var full = DownloadProgress()
        full.phase = .publishing
        full.name = try FileName(userGiven: "🚢.bin")
        full.part = PartFileClaim(
            name: try FileName(userGiven: "🚢.bin.part"),
            identity: FileIdentity(device: .max, inode: .max),
            boot: BootID(rawValue: "b-1")
        )
        full.kept = full.part
        full.part?.adoption = PendingAdoption(
            control: .init(
                name: try FileName(userGiven: "🚢.bin.aria2"),
                identity: FileIdentity(device: 1, inode: .max, birth: .min)
            )
        )
        full.mediaType = MediaType("text/html")
        full.assurance = .overlapChecked
        full.server = Origin(scheme: .https, host: "2001:db8::1", port: 65_535)
        full.source = "https://[2001:db8::1]:65535/🚢?token=…"
        full.status = 206
        full.note = TransferNote(.resumed, "Resumed at 1.2 GiB: ETag \"🚢\" matched.")
        let thousand = (0..<1_000).map { number in
            let lower = Int64(number) * 1_000
            return Segment(range: lower..<(lower + 1_000), written: lower + 900, durable: lower + 10)
        }
        full.segments = try #require(SegmentMap(segments: thousand))
        var checked = full
        checked.phase = .receiving
        checked.assurance = .proved
        checked.note = TransferNote(.noFreshURL, "")
        checked.segments = SegmentMap(length: .max - 1)
        var empty = DownloadProgress()
        empty.segments = SegmentMap(length: 0)
        var open = DownloadProgress()
        let segments = [Segment(0..<5), Segment(range: 5..<Int64.max, written: 1 << 62, durable: 5)]
        open.segments = try #require(SegmentMap(segments: segments))
        return [full, DownloadProgress(), checked, empty, open, full]
    }

    /// The texts of a transfer as octets, because `==` treats canonically equivalent ones as equal.
    private static func octets(of transfer: Transfer) -> [[UInt8]] {
        let specification = transfer.specification
        let texts = specification.options.headers.flatMap { [$0.name, $0.value] } + [specification.identity]
        return texts.map { Array($0.utf8) }
    }
}

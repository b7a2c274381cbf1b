import FerryCore
import FerryTesting
import Testing

@Suite("Every state and every operation in it")
struct TransitionTests {
    private static let now = Instant(seconds: 1_700_000_000)
    private static let later = Instant(seconds: 1_700_000_100)
    private static let me = OwnerID(rawValue: 1)
    private static let other = OwnerID(rawValue: 2)
    private static let failure = TransferFailure(.notFound, "Nothing.")

    static let states: [TransferState] = [
        .queued, .active, .waiting(.retry(at: later)), .waiting(.network), .waiting(.newURL),
        .waiting(.diskSpace(needed: 1)), .waiting(.diskMount), .waiting(.dependency),
        .waiting(.applicationInactive), .waiting(.window(opens: now)), .paused, .completed, .failed(failure),
        .cancelled,
    ]

    /// A transfer that has had three attempts.
    static func transfer(
        in state: TransferState,
        claimedBy owner: OwnerID? = nil,
        wish: Wish? = nil
    ) throws -> Transfer {
        let specification = DownloadSpecification(
            url: try HTTPURL(parsing: "http://example.com/f"),
            destination: .file(directory: "/d", name: nil)
        )
        var transfer = Transfer(id: TransferID(rawValue: 7), adding: NewTransfer(specification), at: now)
        transfer.state = state
        transfer.attempts = 3
        transfer.wish = wish
        transfer.claim = owner.map { Claim(transfer: transfer.id, owner: $0, token: 5) }
        if state.isFinal { transfer.finished = now }
        return transfer
    }

    private func transfer(
        in state: TransferState,
        claimedBy owner: OwnerID? = nil,
        wish: Wish? = nil
    ) throws -> Transfer {
        try Self.transfer(in: state, claimedBy: owner, wish: wish)
    }

    private func isDone(_ transfer: Transfer) -> Bool {
        transfer.state == .completed || transfer.state == .cancelled
    }

    @Test(arguments: states)
    func isClaimableOnlyWhenQueuedOrDueAndFree(_ state: TransferState) throws {
        for (moment, due): (Instant, [TransferState]) in [
            (Self.now, [TransferState.queued, .waiting(.window(opens: Self.now))]),
            (Self.later, [.queued, .waiting(.window(opens: Self.now)), .waiting(.retry(at: Self.later))]),
        ] {
            for owner in [nil, Self.me, Self.other] {
                let transfer = try transfer(in: state, claimedBy: owner)
                let expected = due.contains(state) && owner != Self.other
                #expect(
                    transfer.isClaimable(by: Self.me, at: moment) == expected,
                    "\(state) \(String(describing: owner))"
                )
            }
        }
    }

    @Test func aClaimCountsAnAttemptAndTakesTheToken() throws {
        var transfer = try transfer(in: .queued)
        transfer.becomeActive(for: Self.me, token: 9, at: Self.later)
        #expect(transfer.state == .active && transfer.attempts == 4 && transfer.updated == Self.later)
        #expect(transfer.attemptStarted == Self.later)
        #expect(transfer.claim == Claim(transfer: transfer.id, owner: Self.me, token: 9))
    }

    @Test(arguments: states)
    func aWishIsKeptForTheOwnerOrDoneAtOnceOrRefused(_ state: TransferState) throws {
        for wish in [Wish.pause, .cancel(keepingPart: false), .cancel(keepingPart: true), .reload] {
            var transfer = try transfer(in: state, claimedBy: state == .active ? Self.me : nil)
            let before = transfer
            let isRefused = isDone(before) || (wish == .pause && state.name == .failed)
            if isRefused {
                #expect(throws: StoreError.self) { try transfer.ask(wish, at: Self.later) }
                #expect(transfer == before)
                continue
            }
            try transfer.ask(wish, at: Self.later)
            switch (state, wish) {
            case (.active, _):
                #expect(transfer.state == .active && transfer.wish == wish && transfer.claim != nil)
            case (_, .pause):
                #expect(transfer.state == .paused && transfer.wish == nil && transfer.finished == nil)
            case (_, .cancel): #expect(transfer.state == .cancelled && transfer.finished == Self.later)
            case (_, .reload): #expect(transfer.state == state)
            }
        }
    }

    @Test("what may have arrived is not queued again, whatever its kind")
    func anUnknownOutcomeStays() throws {
        let url = try HTTPURL(parsing: "https://example.com/")
        var transfer = try transfer(in: .failed(.outcomeUnknown(at: url)))
        let before = transfer
        #expect(throws: StoreError.self) {
            try transfer.requeue(holder: nil, token: 2, at: Self.later)
        }
        #expect(transfer == before)
    }

    @Test(arguments: states)
    func whatIsNotDoneIsQueuedAnewOrRunsOn(_ state: TransferState) throws {
        for holder in [nil, Self.me] {
            var transfer = try transfer(
                in: state,
                claimedBy: state == .active ? Self.other : nil,
                wish: state == .active ? .pause : nil
            )
            let before = transfer
            if isDone(before) {
                #expect(throws: StoreError.self) {
                    try transfer.requeue(holder: holder, token: 6, at: Self.later)
                }
                #expect(transfer == before)
            } else if state == .active {
                try transfer.requeue(holder: holder, token: 6, at: Self.later)
                #expect(transfer.state == .active && transfer.wish == nil && transfer.claim == before.claim)
                #expect(transfer.attempts == before.attempts)
            } else {
                try transfer.requeue(holder: holder, token: 6, at: Self.later)
                #expect(transfer.state == .queued && transfer.attempts == 0 && transfer.latestFailure == nil)
                #expect(transfer.finished == nil && transfer.claim?.owner == holder)
            }
        }
    }

    @Test(arguments: states)
    func anEditReloadsWhatRunsAndIsRefusedOnceItIsDone(_ state: TransferState) throws {
        var transfer = try transfer(in: state)
        let before = transfer
        var edit = TransferEdit()
        edit.url = try HTTPURL(parsing: "http://example.com/fresh?token=2")
        edit.priority = 4
        edit.retries = 2
        if isDone(before) {
            #expect(throws: StoreError.self) { try transfer.apply(edit, at: Self.later) }
            #expect(transfer == before)
            return
        }
        try transfer.apply(edit, at: Self.later)
        #expect(transfer.specification.url == edit.url && transfer.priority == 4)
        #expect(transfer.specification.options.retries == 2)
        #expect(transfer.wish == (state == .active ? .reload : nil))
        #expect(transfer.state == (state == .waiting(.newURL) ? .queued : state))
    }

    @Test func anEditThatDoesNotTouchTheRequestDisturbsNobody() throws {
        var transfer = try transfer(in: .active, claimedBy: Self.me)
        var edit = TransferEdit()
        edit.priority = 1
        try transfer.apply(edit, at: Self.later)
        #expect(transfer.wish == nil && transfer.priority == 1)
        edit.headers = []
        transfer.wish = .pause
        try transfer.apply(edit, at: Self.later)
        #expect(transfer.wish == .pause)
    }

    @Test(arguments: [Destination.file(directory: "/d", name: nil), .standardOutput])
    func anEditToRunInTheForegroundOnlyStopsNoStream(_ destination: Destination) throws {
        let url = try HTTPURL(parsing: "http://example.com/f")
        let new = NewTransfer(DownloadSpecification(url: url, destination: destination))
        var transfer = Transfer(id: TransferID(rawValue: 7), adding: new, at: Self.now)
        transfer.state = .active
        var edit = TransferEdit()
        edit.runsInBackground = false
        try transfer.apply(edit, at: Self.later)
        #expect(!transfer.runsInBackground)
        #expect(transfer.wish == (destination == .standardOutput ? nil : .reload))
        transfer.wish = nil
        edit.runsInBackground = true
        try transfer.apply(edit, at: Self.later)
        #expect(transfer.runsInBackground && transfer.wish == nil)
    }

    @Test(arguments: states.filter { $0 != .active })
    func aWishDecidesWhatASettlementLeavesOpen(_ next: TransferState) throws {
        for wish in [nil, Wish.pause, .cancel(keepingPart: false), .reload] {
            for keepsHold in [true, false] {
                var transfer = try transfer(in: .active, claimedBy: Self.me, wish: wish)
                transfer.settle(
                    Settlement(next, progress: DownloadProgress(), keepsHold: keepsHold),
                    at: Self.later
                )
                #expect(transfer.wish == nil)
                let expected: TransferState =
                    switch wish {
                    case .pause where !next.isFinal || next == .cancelled: .paused
                    case .cancel where !next.isFinal: .cancelled
                    case nil where next == .cancelled, .reload where next == .cancelled: .queued
                    default: next
                    }
                #expect(transfer.state == expected, "\(next) \(String(describing: wish))")
                #expect((transfer.finished != nil) == expected.isFinal)
                let mayHold = keepsHold && (expected == .queued || expected.name == .waiting)
                #expect((transfer.claim != nil) == mayHold, "\(next) \(String(describing: wish))")
            }
        }
    }

    @Test func settlingKeepsWhatItIsNotTold() throws {
        var transfer = try transfer(in: .active, claimedBy: Self.me)
        transfer.latestFailure = Self.failure
        transfer.settle(Settlement(.queued, progress: DownloadProgress()), at: Self.later)
        #expect(transfer.attempts == 3 && transfer.latestFailure == Self.failure)
        transfer.settle(Settlement(.completed, progress: DownloadProgress()), at: Self.later)
        #expect(transfer.latestFailure == nil)
    }

    @Test(arguments: states)
    func losingItsOwner(_ state: TransferState) throws {
        for wish in [nil, Wish.pause, .cancel(keepingPart: true), .reload]
        where state == .active || wish == nil {
            var transfer = try transfer(in: state, claimedBy: state.isFinal ? nil : Self.me, wish: wish)
            transfer.lostOwner(.died, isAlone: true, at: Self.later)
            #expect(transfer.claim == nil && transfer.wish == nil)
            let expected: TransferState =
                switch wish {
                case .pause: .paused
                case .cancel: .cancelled
                case .reload, nil: state == .active ? .queued : state
                }
            #expect(transfer.state == expected)
            #expect(transfer.attempts == 3, "an attempt that killed its process counts")
        }
    }

    @Test func secretsStayWithTheOriginThatTheyWereGivenFor() throws {
        for (url, keeps) in [
            ("http://example.com/fresh", true), ("http://example.org/fresh", false),
            ("https://example.com/f", false),
        ] {
            var specification = DownloadSpecification(
                url: try HTTPURL(parsing: "http://example.com/f"),
                destination: .file(directory: "/d", name: nil)
            )
            specification.options.credentials = .bearer(token: "t")
            specification.options.headers = [
                .init(name: "Cookie", value: "a=1"), .init(name: "Accept", value: "*/*"),
            ]
            var transfer = Transfer(
                id: TransferID(rawValue: 1),
                adding: NewTransfer(specification),
                at: .epoch
            )
            var edit = TransferEdit()
            edit.url = try HTTPURL(parsing: url)
            try transfer.apply(edit, at: .epoch)
            #expect((transfer.specification.options.credentials != nil) == keeps)
            let fields = transfer.specification.options.headers.map(\.name)
            #expect(fields == (keeps ? ["Cookie", "Accept"] : ["Accept"]))
            edit.credentials = .bearer(token: "new")
            try transfer.apply(edit, at: .epoch)
            #expect(transfer.specification.options.credentials == .bearer(token: "new"))
        }
    }

    /// A command that named `--retries 0` has failed, and is repeated without it.
    @Test func whatHasFailedIsRetriedAtLeastAsOftenAsAskedNow() throws {
        let usual = DownloadOptions().retries
        let table = [(0, usual, usual), (0, 3, 3), (50, usual, 50), (50, 3, 3), (usual, 0, 0)]
        for (had, asked, expected) in table {
            var transfer = try transfer(in: .failed(Self.failure))
            var again = transfer.specification
            again.options.retries = asked
            transfer.specification.options.retries = had
            _ = try transfer.meet(NewTransfer(again), holder: Self.me, token: 9, at: Self.later)
            #expect(transfer.specification.options.retries == expected, "\(had), then \(asked)")
            #expect(transfer.state == .queued)
        }
    }

    /// Naming the URL again without its digest does not take it back. Another digest is refused for what is going to run,
    /// and counts for what was paused or has failed.
    @Test func whatIsAskedForAgainKeepsItsDigest() throws {
        let digest = try Checksum(parsing: "md5=" + String(repeating: "0", count: 32))
        let other = try Checksum(parsing: "md5=" + String(repeating: "1", count: 32))
        for state in [TransferState.queued, .paused, .failed(Self.failure)] {
            for (given, kept) in [(nil, digest), (other, other)] {
                var transfer = try transfer(in: state)
                transfer.specification.options.checksum = digest
                var again = transfer.specification
                again.options.checksum = given
                again.options.retries = 3
                if state == .queued, given == other {
                    let before = transfer
                    #expect(throws: StoreError.self) {
                        _ = try transfer.meet(NewTransfer(again), holder: Self.me, token: 9, at: Self.later)
                    }
                    #expect(transfer == before)
                    continue
                }
                _ = try transfer.meet(NewTransfer(again), holder: Self.me, token: 9, at: Self.later)
                #expect(transfer.specification.options.checksum == kept)
                #expect(transfer.specification.options.retries == 3)
            }
        }
    }
}

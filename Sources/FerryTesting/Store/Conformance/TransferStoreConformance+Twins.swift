import FerryCore
import Testing

extension TransferStoreConformance {
    static let twins: [Behaviour] = [
        Behaviour("editsIntoTheTwinOfWhatIsOver") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            for state in everyState where state.isFinal {
                let over = try await store.addOne(state.name.rawValue, in: state, owner: owner)
                let added = try await store.addOne("edited-\(state.name)")
                let edited = try await store.edit(added.id, Self.become(over), at: Sample.start + 1)
                #expect(edited.specification.url == over.specification.url && edited.state == .queued)
                let additions = try await store.add(
                    [Sample.new(state.name.rawValue)],
                    holder: nil,
                    at: Sample.start
                )
                #expect(additions == [.attached(edited)], "what is not over comes first")
                #expect(try await store.existing(over.id) == over)
            }
        },
        Behaviour("editsWhatFailedIntoTheTwinOfWhatIsNotOver") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let living = try await store.addOne("living")
            let failed = try await store.addOne("failed", in: .failed(Sample.failure), owner: owner)
            let edited = try await store.edit(failed.id, Self.become(living), at: Sample.start + 1)
            #expect(edited.state == failed.state)
            try await Self.expectNoRevival(of: failed.id, beside: living.id, in: store)
            #expect(try await store.existing(living.id) == living)
        },
        Behaviour("triesAgainWhatFailedOnlyWhileNoTwinIsNotOver") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            for (number, state) in everyState.enumerated() where !state.isFinal {
                let name = "failed-\(number)"
                let failed = try await store.addOne(name, in: .failed(Sample.failure), owner: owner)
                let added = try await store.addOne("living-\(number)")
                _ = try await store.edit(added.id, Self.become(failed), at: Sample.start + 1)
                let living = try await store.bring(added, to: state, owner: owner)
                try await Self.expectNoRevival(of: failed.id, beside: living.id, in: store)
                #expect(try await store.existing(living.id) == living)
                _ = try await store.ask(.cancel(keepingPart: false), of: living.id, at: Sample.start + 2)
                if let claim = try await store.existing(living.id).claim {
                    try await store.settle(
                        claim,
                        as: Settlement(.cancelled, progress: DownloadProgress()),
                        at: Sample.start + 2
                    )
                }
                let revived = try await store.requeue(failed.id, holder: nil, at: Sample.start + 3)
                #expect(revived.state == .queued)
            }
        },
        Behaviour("revivesTheLatestOfTheTwinsThatFailed") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let failure = TransferState.failed(Sample.failure)
            let first = try await store.addOne("file", in: failure, owner: owner)
            let added = try await store.addOne("other")
            _ = try await store.edit(added.id, Self.become(first), at: Sample.start + 1)
            let second = try await store.bring(added, to: failure, owner: owner)
            let additions = try await store.add([Sample.new("file")], holder: nil, at: Sample.start + 2)
            guard case .revived(let revived)? = additions.first else {
                Issue.record("\(additions)")
                return
            }
            #expect(revived.id == second.id && additions.count == 1)
            try await Self.expectNoRevival(of: first.id, beside: second.id, in: store)
            let again = try await store.add([Sample.new("file")], holder: owner, at: Sample.start + 3)
            #expect(again.map(\.transfer.id) == [second.id])
            try await store.forget([first.id])
            #expect(try await store.existing(second.id) == again[0].transfer)
        },
        Behaviour("doesNotLetWhatIsIgnoredOfAURLMakeTwins") { store in
            let plain = try await store.add([Self.signed("t=5", day: 2)], holder: nil, at: Sample.start)
            let timed = try await store.add(
                [Self.signed("t=5", day: 2, ignoring: ["t"])],
                holder: nil,
                at: Sample.start
            )
            let (first, second) = (plain[0].transfer, timed[0].transfer)
            #expect(first.id != second.id)
            var edit = TransferEdit()
            edit.options = .download(DownloadOptions())
            await expectError {
                $0.isNotPossible(second.id)
            } _: {
                _ = try await store.edit(second.id, edit, at: Sample.start + 1)
            }
            // It keeps its URL, because the other one is older, and so keeps an identity different from the
            // first.
            let additions = try await store.add([Self.signed("", day: 1)], holder: nil, at: Sample.start + 2)
            #expect(additions.map(\.transfer.id) == [second.id])
            let met = try await store.existing(second.id)
            #expect(met.specification.identity == second.specification.identity)
            #expect(try await store.existing(first.id) == first)
        },
    ]

    /// The edit that gives another transfer the URL of this one.
    private static func become(_ transfer: Transfer) -> TransferEdit {
        var edit = TransferEdit()
        edit.url = transfer.specification.url
        return edit
    }

    /// Checks that a failed transfer stays failed, and that the refusal names its twin.
    private static func expectNoRevival(
        of id: TransferID,
        beside twin: TransferID,
        in store: any TransferStore
    ) async throws {
        let former = try await store.existing(id)
        await expectError { error in
            error.isNotPossible(id) && "\(error)".contains("transfer \(twin)")
        } _: {
            _ = try await store.requeue(id, holder: nil, at: Sample.start + 2)
        }
        #expect(try await store.existing(id) == former)
    }

    /// A download with the signature of a given day.
    private static func signed(
        _ query: String,
        day: Int,
        ignoring ignored: [String] = []
    ) throws -> NewTransfer {
        let signature =
            "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=k&X-Amz-Date=2026010\(day)T000000Z"
            + "&X-Amz-Expires=900&X-Amz-SignedHeaders=host&X-Amz-Signature=0\(day)"
        let text = "https://s3.example.com/file?" + (query.isEmpty ? "" : query + "&") + signature
        var options = DownloadOptions()
        options.ignoredQuery = ignored
        return NewTransfer(
            DownloadSpecification(
                url: try HTTPURL(parsing: text),
                destination: .file(directory: "/downloads", name: nil),
                options: options
            )
        )
    }
}

import FerryCore
import Testing

extension TransferStoreConformance {
    private static let server = Origin(scheme: .https, host: "objects.example", port: 443)

    static let remembering: [Behaviour] = [
        Behaviour("remembersWhatAServerDoesByItsOrigin") { store in
            #expect(try await store.traits(of: server, at: Sample.start) == ServerTraits())
            try await store.remember(ServerTraits(lacksIfRange: true), of: server, at: Sample.start)
            #expect(try await store.traits(of: server, at: Sample.start).lacksIfRange)
            let others = [
                Origin(scheme: .http, host: "objects.example", port: 443),
                Origin(scheme: .https, host: "objects.example", port: 444),
                Origin(scheme: .https, host: "objects.example.", port: 443),
            ]
            for other in others {
                #expect(try await store.traits(of: other, at: Sample.start) == ServerTraits())
            }
        },
        Behaviour("remembersTheLatestFinding") { store in
            try await store.remember(ServerTraits(lacksIfRange: true), of: server, at: Sample.start)
            try await store.remember(ServerTraits(), of: server, at: Sample.start + 1)
            #expect(try await store.traits(of: server, at: Sample.start + 1) == ServerTraits())
        },
        Behaviour("forgetsWhatIsTooOldToBeBelieved") { store in
            let found = ServerTraits(lacksIfRange: true)
            try await store.remember(found, of: server, at: Sample.start)
            let end = Sample.start.advanced(by: ServerTraits.lifetime)
            #expect(try await store.traits(of: server, at: end.advanced(by: .milliseconds(-1))) == found)
            #expect(try await store.traits(of: server, at: end) == ServerTraits())
            // Another finding deletes it, so that setting the clock back does not bring it back.
            let other = Origin(scheme: .http, host: "other.example", port: 80)
            try await store.remember(found, of: other, at: end)
            #expect(try await store.traits(of: server, at: Sample.start) == ServerTraits())
            #expect(try await store.traits(of: other, at: end) == found)
        },
    ]
}

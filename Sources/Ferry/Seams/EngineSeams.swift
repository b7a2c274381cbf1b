package import FerryCore

/// Everything outside the engine that it works with. `LiveEngine.swift` wires the live seams; tests use scripted ones.
@dynamicMemberLookup
package final class EngineSeams: Sendable {
    /// What its client needs.
    package let client: ClientSeams
    /// The HTTP transport.
    package let transport: any HTTPTransport
    /// The routes of this machine.
    package let network: any NetworkMonitor
    /// The source of random numbers; one for the whole engine, so that a seed determines all of its draws.
    package let random: RandomSource
    /// Makes the decoder of a content coding; `nil` for an unknown coding.
    package let decoder: @Sendable (ContentCoding) -> (any ContentDecoder)?
    /// The descriptors available for transfers.
    package let descriptors: DescriptorBudget
    /// What is known of object stores.
    package let stores: ObjectStoreSessions
    /// The cookies that all requests share; `nil` if each exchange has its own.
    package let cookies: SessionCookies?

    /// Creates a set of seams.
    package init(
        client: ClientSeams,
        transport: any HTTPTransport,
        network: any NetworkMonitor = UnwatchedNetwork(),
        random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(),
        decoder: @escaping @Sendable (ContentCoding) -> (any ContentDecoder)? = { _ in nil },
        descriptors: DescriptorBudget = .ample,
        objectStoreAccess: ObjectStoreSessions.Source? = nil,
        cookies: SessionCookies? = nil
    ) {
        self.client = client
        self.transport = transport
        self.network = network
        self.random = RandomSource(random)
        self.decoder = decoder
        self.descriptors = descriptors
        self.cookies = cookies
        stores = ObjectStoreSessions(objectStoreAccess, clock: client.clock)
    }

    /// How long to wait before a function of the application is called again, which has failed this number of times: longer
    /// each time, as between the attempts of a transfer.
    func pause(afterFailures count: Int) -> Duration {
        var random = random
        return RetryPolicy(retries: .max).delay(afterAttempt: count, retryAfter: nil, using: &random)
    }

    /// The client's seams, which the engine uses too.
    package subscript<Seam>(dynamicMember seam: KeyPath<ClientSeams, Seam>) -> Seam {
        client[keyPath: seam]
    }
}

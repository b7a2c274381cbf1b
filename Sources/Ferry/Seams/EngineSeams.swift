package import FerryCore

/// Everything outside the engine that it works with. The live ones are wired in `LiveEngine.swift`; tests put scripted ones
/// in their place.
@dynamicMemberLookup
package struct EngineSeams: Sendable {
    /// What its client needs.
    package let client: ClientSeams
    /// What carries requests.
    package let transport: any HTTPTransport
    /// The routes of this machine.
    package let network: any NetworkMonitor
    /// Where random numbers come from; one source for the whole engine, so that a seed rules all that it draws.
    package let random: RandomSource
    /// What undoes a content coding; returns `nil` for one that nothing can undo.
    package let decoder: @Sendable (ContentCoding) -> (any ContentDecoder)?
    /// How many descriptors there are for transfers.
    package let descriptors: DescriptorBudget

    /// Creates a set of seams.
    package init(
        client: ClientSeams,
        transport: any HTTPTransport,
        network: any NetworkMonitor = UnwatchedNetwork(),
        random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(),
        decoder: @escaping @Sendable (ContentCoding) -> (any ContentDecoder)? = { _ in nil },
        descriptors: DescriptorBudget = .ample
    ) {
        self.client = client
        self.transport = transport
        self.network = network
        self.random = RandomSource(random)
        self.decoder = decoder
        self.descriptors = descriptors
    }

    /// What the client works with, the engine works with as well.
    package subscript<Seam>(dynamicMember seam: KeyPath<ClientSeams, Seam>) -> Seam {
        client[keyPath: seam]
    }
}

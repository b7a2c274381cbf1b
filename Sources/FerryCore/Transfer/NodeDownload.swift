/// How what a node needs is downloaded.
public struct NodeDownload: Hashable, Sendable {
    /// The transfer to add.
    package var transfer: NewTransfer
    /// The components that it downloads. When it has completed, those of them that were not marked again are no longer
    /// marked.
    public var components: NodeComponents
    /// Whether it begins only after the transfer of the nearest node above that has one, and fails with it.
    public var isAfterParent: Bool

    /// Creates a download.
    ///
    /// The options say whether it runs in the background of the application. If a file may be there from an earlier
    /// version of the node, they have to say that it is replaced (``DownloadOptions/existingFile``).
    ///
    /// - Parameters:
    ///   - components: the components that it downloads.
    ///   - queue: the queue to add it to.
    ///   - priority: higher runs first within that queue. With equal ones, shallow nodes run before deep ones, and then the
    ///     newest first.
    ///   - isAfterParent: whether it begins only after the transfer of the nearest node above, and fails with it.
    public init(
        _ specification: DownloadSpecification,
        components: NodeComponents = .all,
        queue: String = NewTransfer.defaultQueue,
        priority: Int = 0,
        isAfterParent: Bool = false,
        type: TransferType? = nil,
        tag: TransferTag? = nil,
        payload: TransferPayload? = nil
    ) {
        transfer = NewTransfer(
            specification,
            queue: queue,
            priority: priority,
            type: type,
            tag: tag,
            payload: payload
        )
        self.components = components
        self.isAfterParent = isAfterParent
    }
}

import Ferry

/// Loads pictures into files, or only into memory. When more of them are wanted than can be seen, the one that was asked for
/// longest ago gives way to the newest, whether it is loading or waits: after an hour offline only those in view come.
struct PictureLoader {
    let engine: TransferEngine
    let directory: String

    private static let queue = "pictures"

    /// Loads no more than this many at once; may change at any time, such as when a window does.
    func show(atMost count: Int) async throws {
        var queue = TransferQueue(Self.queue)
        queue.slots = count
        queue.overflow = .cancelOldestAlsoWaiting
        try await engine.setQueue(queue)
    }

    /// Begins to load a picture. One that is loading already is joined, and one that is here is not loaded again.
    func load(_ picture: HTTPURL) async throws -> TransferHandle {
        try await engine.download(
            from: picture,
            to: .file(directory: directory, name: nil),
            queue: Self.queue
        )
    }

    /// Begins to load a picture into memory only, in the same queue.
    func preview(_ picture: HTTPURL) -> ResultHandle {
        engine.fetch(from: picture, limit: 8 << 20, queue: Self.queue, retries: 3)
    }
}

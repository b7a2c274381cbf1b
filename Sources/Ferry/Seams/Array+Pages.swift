extension Array {
    /// The elements in their order, in pages of the size that is read or written at once.
    var pages: some Sequence<[Element]> {
        stride(from: 0, to: count, by: EngineSeams.pageLength).lazy.map { start in
            Array(self[start...].prefix(EngineSeams.pageLength))
        }
    }
}

extension EngineSeams {
    /// Maximum rows read or written at once.
    static let pageLength = 500
}

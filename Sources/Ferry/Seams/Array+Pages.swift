extension Array {
    /// The elements in their order, as many at a time as are read or written in one go.
    var pages: some Sequence<[Element]> {
        stride(from: 0, to: count, by: ClientSeams.pageLength).lazy.map { start in
            Array(self[start...].prefix(ClientSeams.pageLength))
        }
    }
}

extension ClientSeams {
    /// How many rows are looked at in one go.
    static let pageLength = 500
}

extension Array {
    /// The elements in their order, as many at a time as are read or written in one go.
    var pages: some Sequence<[Element]> {
        stride(from: 0, to: count, by: Scheduler.pageLength).lazy.map { start in
            Array(self[start...].prefix(Scheduler.pageLength))
        }
    }
}

/// A column of what a statement selects.
protocol StoredColumn {
    /// Its place among the columns, counted from 0.
    var position: Int { get }
}

/// For a row of few columns, which are read where they are selected.
extension Int: StoredColumn {
    var position: Int { self }
}

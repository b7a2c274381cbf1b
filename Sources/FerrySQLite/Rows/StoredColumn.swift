/// A column of a statement's result.
protocol StoredColumn {
    /// Its position among the columns, counted from 0.
    var position: Int { get }
}

/// For a row of few columns, which are read next to their selection.
extension Int: StoredColumn {
    var position: Int { self }
}

extension Int64 {
    /// The sum, or the end of the range when it does not fit: a total from a server must not trap.
    package func addingSaturated(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }
}

/// The times of a file system.
package enum FileTime {
    /// A time in nanoseconds since 1970; `nil` if it is out of range, as after the year 2262.
    ///
    /// - Parameters:
    ///   - seconds: whole seconds since 1970.
    ///   - rest: nanoseconds after them.
    package static func nanoseconds(_ seconds: Int64, _ rest: Int64) -> Int64? {
        let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, sumOverflow) = scaled.addingReportingOverflow(rest)
        return overflow || sumOverflow ? nil : sum
    }
}

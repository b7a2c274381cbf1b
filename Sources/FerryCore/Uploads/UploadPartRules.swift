/// The parts in which a protocol takes a file.
package struct UploadPartRules: Hashable, Sendable {
    /// Whether parts may be sent side by side and in any order. Otherwise each begins where the server is.
    package var areIndependent: Bool
    /// The shortest part but the last, in bytes; 0 if any length will do.
    package var shortest: Int64
    /// The longest part, in bytes; `nil` without a bound.
    package var longest: Int64?
    /// The largest number of parts; `nil` without a bound.
    package var most: Int?
    /// Each part but the last has a multiple of this many bytes.
    package var unit: Int64
    /// The protocol sends a whole file of up to this many bytes in one request, without an upload to resume; 0 if it
    /// never does.
    package var longestWhole: Int64

    package init(
        areIndependent: Bool,
        shortest: Int64 = 0,
        longest: Int64? = nil,
        most: Int? = nil,
        unit: Int64 = 1,
        longestWhole: Int64 = 0
    ) {
        self.areIndependent = areIndependent
        self.shortest = shortest
        self.longest = longest
        self.most = most
        self.unit = unit
        self.longestWhole = longestWhole
    }
}

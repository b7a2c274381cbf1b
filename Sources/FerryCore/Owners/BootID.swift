/// One run of the machine's kernel. It changes with every boot.
///
/// Bytes that were written but not synced are trusted only under the boot in which they were written (I2).
public struct BootID: RawRepresentable, Hashable, Sendable, Codable {
    /// The kernel's text for it.
    public var rawValue: String

    /// Creates a boot identifier from the kernel's text.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }
}

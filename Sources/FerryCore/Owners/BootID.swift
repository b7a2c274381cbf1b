/// One run of the machine's kernel: it changes with every boot.
///
/// What was written but not synced is trusted only under the boot in which it was written (I2).
public struct BootID: RawRepresentable, Hashable, Sendable, Codable {
    /// The kernel's own text for it.
    public var rawValue: String

    /// Creates a boot identifier from the kernel's text.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }
}

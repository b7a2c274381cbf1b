/// One run of the machine's kernel. It changes with every boot.
///
/// Bytes that were written but not synced are trusted only under the boot in which they were written (I2).
package struct BootID: RawRepresentable, Hashable, Sendable, Codable {
    /// The kernel's text for it.
    package var rawValue: String

    /// Creates a boot identifier from the kernel's text.
    package init(rawValue: String) {
        self.rawValue = rawValue
    }
}

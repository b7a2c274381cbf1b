/// The hash FNV-1a of 64 bits. It tells texts apart that differ by accident; it is no protection against an attacker who
/// wants two texts to be taken for one.
package struct FNV1a {
    /// The hash of all bytes so far.
    package private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

    package init() {}

    /// Takes in more bytes.
    package mutating func add(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01b3 }
    }
}

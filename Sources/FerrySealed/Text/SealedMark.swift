/// What a sealed file begins with.
enum SealedMark {
    /// The beginning of the first line of a header, before the version.
    static let header = Array("age-encryption.org/".utf8)
    /// The version that this module reads and writes.
    static let version = Array("v1".utf8)
    /// The first line of a file in ASCII armor.
    static let armor = Array("-----BEGIN AGE ENCRYPTED FILE-----".utf8)
    /// The last line of a file in ASCII armor.
    static let armorEnd = Array("-----END AGE ENCRYPTED FILE-----".utf8)
}

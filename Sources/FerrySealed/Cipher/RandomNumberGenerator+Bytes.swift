extension RandomNumberGenerator {
    /// Random bytes. For keys and nonces the generator must be a cryptographic one.
    mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: 0...255, using: &self) }
    }
}

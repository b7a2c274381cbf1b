/// Words for command lines that a person copies.
package enum ShellWord {
    /// A word quoted for a shell if necessary.
    package static func quoted(_ word: String) -> String {
        let isPlain = word.utf8.allSatisfy { byte in
            UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte
                || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte || "-_./:@%+=,".utf8.contains(byte)
        }
        return isPlain ? word : "'\(word.replacing("'", with: "'\\''"))'"
    }
}

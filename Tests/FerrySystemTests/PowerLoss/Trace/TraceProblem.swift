/// A trace that cannot be understood. Nothing of it is guessed: a call that is passed over in silence would make every
/// state that is built from the trace a lie.
struct TraceProblem: Error, CustomStringConvertible {
    var description: String

    init(_ description: String) {
        self.description = description
    }
}

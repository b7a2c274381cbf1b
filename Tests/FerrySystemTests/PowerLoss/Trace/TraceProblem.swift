/// A trace that cannot be understood. The interpreter never guesses: with an ignored call, every state that is built from
/// the trace could be wrong.
struct TraceProblem: Error, CustomStringConvertible {
    var description: String

    init(_ description: String) {
        self.description = description
    }
}

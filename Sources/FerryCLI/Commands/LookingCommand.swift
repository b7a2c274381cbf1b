import ArgumentParser

/// A command that only reads, and so needs fewer of a process's resources.
protocol LookingCommand: AsyncParsableCommand {}

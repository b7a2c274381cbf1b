import ArgumentParser

/// A command that only looks, and needs little for that of what a process may use.
protocol LookingCommand: AsyncParsableCommand {}

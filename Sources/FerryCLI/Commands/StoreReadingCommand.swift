import ArgumentParser

/// A command that only reads the store, and so needs fewer of a process's resources. It may change a server, as
/// `uploads abort` does.
protocol StoreReadingCommand: AsyncParsableCommand {}

import FerryCore

/// The answer of a function of the application, which has a limited time for it.
enum ApplicationAnswer<Value: Sendable>: Sendable {
    /// It returned this.
    case value(Value)
    /// It returned nothing; why, without a secret.
    case nothing(String)

    /// Calls the function. It is cancelled when it takes longer than 60 s, and when this task is.
    static func of(
        _ hook: @escaping @Sendable () async throws -> Value,
        by clock: any WallClock
    ) async -> ApplicationAnswer {
        await withTaskGroup(of: ApplicationAnswer.self) { group in
            group.addTask {
                do {
                    return .value(try await hook())
                } catch {
                    // The text of an error may quote a secret.
                    return .nothing("\(type(of: error))")
                }
            }
            group.addTask {
                do {
                    try await clock.sleep(for: longest)
                } catch {
                    // It answered in time, or was cancelled.
                }
                return .nothing("it took too long")
            }
            defer { group.cancelAll() }
            return await group.next() ?? .nothing("it was not called")
        }
    }

    private static var longest: Duration { .seconds(60) }
}

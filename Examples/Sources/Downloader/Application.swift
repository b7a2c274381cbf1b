import Ferry
import UnixSignals

/// Tells the engine when the application goes to the background and when it comes back.
///
/// Here two signals stand for that. On a phone these calls belong where the scene hears of its phase. Of the network
/// nothing has to be told: the engine watches it itself.
struct Application {
    let engine: TransferEngine

    /// Follows the application until the task is cancelled.
    func followPhases() async {
        for await signal in await UnixSignalsSequence(trapping: .sigusr1, .sigusr2) {
            if signal == .sigusr1 {
                // All is recorded when this returns; the system may now suspend or end the process.
                await engine.applicationDidEnterBackground(.stop)
            } else {
                engine.applicationWillEnterForeground()
            }
        }
    }
}

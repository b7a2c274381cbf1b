/// Answers questions about this machine and its processes.
package protocol HostInspector: Sendable {
    /// The machine's current boot.
    var boot: BootID { get }
    /// This process.
    var currentProcess: ProcessIdentity { get }
    /// Returns this process with a proof that it is alive. Call it before the process joins a store. The proof is held
    /// until ``resign()`` or the end of the process.
    func enrol() async throws(StoreError) -> ProcessIdentity
    /// Whether that process still exists. Another process with its number does not count.
    func life(of process: ProcessIdentity) -> Life
    /// Gives up the proof, because this process is no longer an owner.
    func resign()
}

extension HostInspector {
    /// Returns this process, for an inspector that needs no proof.
    package func enrol() async throws(StoreError) -> ProcessIdentity { currentProcess }

    /// Does nothing, for an inspector whose ``enrol()`` takes no proof.
    package func resign() {}
}

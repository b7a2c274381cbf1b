/// Answers questions about this machine and its processes.
package protocol HostInspector: Sendable {
    /// The machine's current boot.
    var boot: BootID { get }
    /// This process.
    var currentProcess: ProcessIdentity { get }
    /// Returns this process with a proof that it lives. Taken before it joins a store; held until ``resign()`` or its
    /// end.
    func enrol() async throws(StoreError) -> ProcessIdentity
    /// Whether that very process still exists, not another with its number.
    func life(of process: ProcessIdentity) -> Life
    /// Gives up the proof: this process is no longer an owner.
    func resign()
}

extension HostInspector {
    /// Returns this process, for an inspector that needs no proof.
    package func enrol() async throws(StoreError) -> ProcessIdentity { currentProcess }

    /// Does nothing, for an inspector whose ``enrol()`` takes no proof.
    package func resign() {}
}

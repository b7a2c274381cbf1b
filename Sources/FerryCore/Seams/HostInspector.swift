/// What can be asked about this machine and the processes on it.
public protocol HostInspector: Sendable {
    /// The boot that the machine runs under.
    var boot: BootID { get }
    /// This process.
    var currentProcess: ProcessIdentity { get }
    /// This process with the proof that it lives, taken before it joins a store and held until ``resign()`` or its end.
    func enrol() async throws(StoreError) -> ProcessIdentity
    /// Whether that very process, not another with its number, still exists.
    func life(of process: ProcessIdentity) -> Life
    /// Gives up the proof: this process is no owner any more.
    func resign()
}

extension HostInspector {
    /// This process, where nothing but the machine itself has to know of it.
    public func enrol() async throws(StoreError) -> ProcessIdentity { currentProcess }

    /// Nothing, where ``enrol()`` takes nothing.
    public func resign() {}
}

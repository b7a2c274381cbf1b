/// What can be asked about this machine and the processes on it.
public protocol HostInspector: Sendable {
    /// The boot that the machine runs under.
    var boot: BootID { get }
    /// This process.
    var currentProcess: ProcessIdentity { get }
    /// Whether that very process, not another with its number, still exists.
    func isAlive(_ process: ProcessIdentity) -> Bool
}

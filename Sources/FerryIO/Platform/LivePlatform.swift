package import FerryCore

/// What this platform offers for the seams that differ between platforms. Only Linux has them so far; another platform
/// needs its own two types in this folder, and a case here.
package enum LivePlatform {
    /// What tells of this machine and its processes, for the store in `directory`.
    ///
    /// - Throws: ``StorageProblem`` with `cannotOpen` when the machine does not tell what must be known of it.
    package static func hostInspector(directory: String) throws(StorageProblem) -> any HostInspector {
        try LinuxHostInspector(directory: directory)
    }

    /// What watches the routes of this machine.
    package static func networkMonitor() -> any NetworkMonitor { LinuxNetworkMonitor() }
}

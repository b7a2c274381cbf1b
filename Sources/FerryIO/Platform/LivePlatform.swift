package import FerryCore

/// The implementations of the seams that differ between platforms. Only Linux has them so far; another platform needs
/// its own three types in this folder, and a case here.
package enum LivePlatform {
    /// The inspector of this machine and its processes, for the store in `directory`.
    ///
    /// - Throws: ``StorageProblem`` with `cannotOpen` when the system does not report what Ferry needs to know.
    package static func hostInspector(directory: String) throws(StorageProblem) -> any HostInspector {
        try LinuxHostInspector(directory: directory)
    }

    /// What this machine reports about the threads that this process may still start.
    package static func threadRoom() -> ThreadRoom { LinuxThreadRoom.read() }

    /// The monitor of this machine's routes.
    package static func networkMonitor() -> any NetworkMonitor { LinuxNetworkMonitor() }
}

import FerryCore

/// Where the disks are mounted that downloads were added for.
///
/// A mount point is recorded when the download is added (``DownloadOptions/mountPoint``). What is compared later is whether
/// anything is mounted there: the numbers of devices and, on some file systems, those of directories change at a mount.
struct MountPoints {
    let files: any PartFileSystem

    /// Where the disk of a download without bytes was mounted, a place of its directory, and the device that the directory is on
    /// instead, if the disk is not mounted now, so that the path leads to the disk below; `nil` if the download may begin.
    func ofAbsentDisk(of transfer: Transfer) async -> (path: String, place: FilePlace, device: UInt64?)? {
        guard let work = transfer.work.download, work.progress.segments.received == 0,
            let mountPoint = work.specification.options.mountPoint, let place = work.placeInDirectory,
            await files.mountPoint(of: mountPoint) != mountPoint
        else { return nil }
        do throws(StorageProblem) {
            let survey = try await files.survey(place)
            // A directory that was made or changed since is where its user wants the file.
            guard survey.isDirectoryUnchanged(since: transfer.added) else { return nil }
            return (mountPoint, place, survey.device)
        } catch {
            guard error.problem.saysThatDirectoryIsMissing(place.directory) else { return nil }
            return (mountPoint, place, nil)
        }
    }

    /// Records in new downloads on which mount point their destination is. The file of a pool can always be fetched again.
    func note(in transfers: inout [NewTransfer], at indices: [Int]) async {
        var known: [String: String?] = [:]
        var former: (plain: DownloadSpecification, noted: DownloadSpecification)?
        for index in indices {
            guard var work = transfers[index].work.download, work.specification.options.cache == nil,
                case .file(let directory, _) = work.specification.destination
            else { continue }
            let mountPoint: String?
            if let found = known[directory] {
                mountPoint = found
            } else {
                mountPoint = await files.mountPoint(of: directory)
                known[directory] = .some(mountPoint)
            }
            let plain = work.specification
            guard plain.options.mountPoint != mountPoint else { continue }
            work.specification.options.mountPoint = mountPoint
            // Downloads of one list share their options.
            if let former, former.plain.sharesOptions(with: plain) {
                work.specification.shareOptions(with: former.noted)
            } else {
                former = (plain, work.specification)
            }
            transfers[index].work = .download(work)
        }
    }
}

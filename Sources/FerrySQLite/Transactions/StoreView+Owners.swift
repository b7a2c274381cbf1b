import FerryCore
import GRDB

extension StoreView {
    /// Every owner whose row can be read.
    func owners() throws -> [Owner] { try readOwners().whole }

    /// The owners whose rows cannot be read, and what is wrong with each.
    func damagedOwners() throws -> [(id: OwnerID, problem: String)] { try readOwners().damaged }

    private func readOwners() throws -> (whole: [Owner], damaged: [(id: OwnerID, problem: String)]) {
        let cursor = try Row.fetchCursor(
            db,
            sql: "SELECT id, pid, start_time, boot, joined, namespace, lock_file, seat FROM owner ORDER BY id"
        )
        var whole: [Owner] = []
        var damaged: [(id: OwnerID, problem: String)] = []
        while let row = try cursor.next() {
            let reader = ColumnReader<Int>(row: row, codec: codec)
            let id = OwnerID(rawValue: try reader.integer(0))
            do {
                whole.append(try owner(id, reader))
            } catch let damage as RowDamage {
                damaged.append((id, "owner \(reader.rowNumber) cannot be read: \(damage)"))
            }
        }
        return (whole, damaged)
    }

    private func owner(_ id: OwnerID, _ reader: ColumnReader<Int>) throws -> Owner {
        guard let pid = Int32(exactly: try reader.integer(1)) else {
            throw RowDamage("it has no process number")
        }
        let process = ProcessIdentity(
            pid: pid,
            startTime: UInt64(bitPattern: try reader.integer(2)),
            boot: BootID(rawValue: try reader.text(3)),
            namespace: UInt64(bitPattern: try reader.integer(5)),
            seat: try seat(reader)
        )
        return Owner(id: id, process: process, joined: Instant(milliseconds: try reader.integer(4)))
    }

    private func seat(_ reader: ColumnReader<Int>) throws -> ProcessIdentity.Seat? {
        guard let file = try reader.optionalInteger(6), let place = try reader.optionalInteger(7) else {
            return nil
        }
        return ProcessIdentity.Seat(file: UInt64(bitPattern: file), place: place)
    }
}

/// Adding what is the same as an existing transfer.
extension TransferRows {
    /// Lets a request meet the existing transfer with the same identity.
    package func meet(
        _ new: NewTransfer,
        _ twin: TransferID,
        holder: OwnerID?,
        at now: Instant
    ) throws -> Addition {
        var row = try existingRow(twin)
        let former = row.transfer
        let reunion = try row.transfer.meet(new, holder: holder, token: row.nextToken, at: now)
        try checkDependencies(
            of: row.transfer,
            adding: row.transfer.dependencies.filter { !former.dependencies.contains($0) }
        )
        if row.transfer != former { row.transfer = try write(row, request: true) }
        return Addition(row.transfer, reunion)
    }
}

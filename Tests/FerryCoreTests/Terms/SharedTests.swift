import Testing

@testable import FerryCore

/// Copies share storage, and are values all the same.
struct SharedTests {
    @Test func copiesShareStorageUntilOneOfThemChanges() {
        let one = Shared([1, 2])
        var other = one
        #expect(other.isIdentical(to: one) && other == one)
        let last = other.change { numbers in
            numbers.append(3)
            return numbers.last
        }
        #expect(last == 3 && other.value == [1, 2, 3] && one.value == [1, 2])
        #expect(!other.isIdentical(to: one) && other != one)
    }

    @Test func anEqualValueInOtherStorageIsEqualAndNotIdentical() {
        let one = Shared([1, 2])
        var other = one
        other.value = [1, 2]
        #expect(other == one && other.hashValue == one.hashValue && !other.isIdentical(to: one))
    }

    @Test func aCopyOfATransferKeepsWhatItWas() throws {
        let url = try HTTPURL(parsing: "http://h/")
        let new = NewTransfer(try RequestSpecification(method: .post, url: url))
        let former = Transfer(id: TransferID(rawValue: 1), adding: new, at: .epoch)
        var transfer = former
        let later = Instant(milliseconds: 3)
        transfer.becomeActive(for: OwnerID(rawValue: 1), token: 2, at: later)
        transfer.work.terms.retries += 1
        #expect(former.state == .queued && former.claim == nil && former.attempts == 0)
        #expect(former.work == new.work && former.updated == .epoch)
        #expect(transfer.state == .active && transfer.claim?.token == 2 && transfer.attempts == 1)
        #expect(transfer.work != new.work && transfer.updated == later)
    }
}

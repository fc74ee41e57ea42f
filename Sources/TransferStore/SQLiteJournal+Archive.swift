import TransferCore
import TransferEngine
import TransferModel

extension SQLiteJournal: TransferArchive {
  package func records(_ ids: [TransferID]) throws -> [TransferRecord] { [] }
  package func line(_ wanted: LineRequest) throws -> [TransferRecord] { [] }
  package func neighbours(of places: [QueuePlace], _ side: ListSide) throws -> [TransferRecord] {
    []
  }
  package func dormant(
    in states: Set<TransferState>, after: TransferID?, countMax: Int
  ) throws -> [TransferRecord] { [] }
  package func order(_ filter: RowFilter, _ sort: RowSort, rows: RowMaker) throws -> StoredOrder {
    StoredOrder()
  }
  package func find(urls: Set<String>) throws -> [TransferRecord] { [] }
}

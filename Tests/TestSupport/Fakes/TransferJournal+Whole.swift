import KettleEngine
import KettleModel

extension TransferJournal where Self: TransferArchive {
  /// The result of `load`, including the records of dormant transfers.
  package func whole() throws -> JournalContents {
    var contents = try load()
    let dormant = try dormant(in: Set(TransferState.allCases), after: nil, countMax: .max)
    contents.records = (contents.records + dormant).sorted { $0.id < $1.id }
    return contents
  }
}

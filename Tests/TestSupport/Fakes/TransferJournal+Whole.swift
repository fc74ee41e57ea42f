import KettleEngine
import KettleModel

extension TransferJournal where Self: TransferArchive {
  /// What `load` gives, with the records of dormant transfers as well.
  package func whole() throws -> JournalContents {
    var contents = try load()
    let dormant = try dormant(in: Set(TransferState.allCases), after: nil, countMax: .max)
    contents.records = (contents.records + dormant).sorted { $0.id < $1.id }
    return contents
  }
}

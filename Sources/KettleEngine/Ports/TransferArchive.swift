import KettleScheduler
import KettleModel

/// What the store is asked while the service runs: transfers that are dormant
/// (`TransferRecord.isDormant`) are held by it alone.
///
/// Called from any thread, beside commits. Each answer is that of one moment, and has all that was
/// committed before the call.
package protocol TransferArchive: Sendable {
  /// Those that are there, in the order of the ids.
  func records(_ ids: [TransferID]) throws -> [TransferRecord]

  /// Dormant queued transfers, the first in line first: by priority, then by place, then by id.
  func line(_ wanted: LineRequest) throws -> [TransferRecord]

  /// Of each place the transfer right before or right after it in the list, whatever its state;
  /// none for those at the end.
  func neighbours(of places: [QueuePlace], _ side: ListSide) throws -> [TransferRecord]

  /// Dormant transfers in some states, by id, from the one after `after` on.
  func dormant(
    in states: Set<TransferState>, after: TransferID?, countMax: Int
  ) throws -> [TransferRecord]

  /// The ids of all transfers that pass a filter, in the order of a sort, with what they are
  /// sorted by. A transfer that runs has no speed here.
  ///
  /// - Parameter rows: what clients are shown of a record, by which words are looked for.
  func order(_ filter: RowFilter, _ sort: RowSort, rows: RowMaker) throws -> StoredOrder

  /// Transfers with one of these URLs; of each URL the first.
  func find(urls: Set<String>) throws -> [TransferRecord]
}

package enum ListSide: Sendable, Hashable {
  case before, after
}

/// The rows of a view in their order, as the store had them at one moment.
package struct StoredOrder: Sendable {
  /// What the rows are sorted by, as `RowKey.Value` has it.
  package enum Keys: Sendable {
    case numbers([Int64])
    case reals([Double])
    case texts(TextList)
  }

  /// In the order of the view, which is the other way round when it is descending.
  package var ids: [TransferID]
  /// Of the first rows; behind them, by id, come those for which it is unknown.
  package var keys: Keys

  package init(ids: [TransferID] = [], keys: Keys = .numbers([])) {
    self.ids = ids
    self.keys = keys
  }

  /// - Parameter keys: in their order, so that the unknown ones come last.
  package init(_ keys: some Sequence<RowKey>) {
    var ids: [TransferID] = []
    var numbers: [Int64] = []
    var reals: [Double] = []
    var texts = TextList()
    for key in keys {
      ids.append(key.id)
      switch key.value {
      case .number(let number): numbers.append(number)
      case .real(let real): reals.append(real)
      case .text(let text): texts.append(text)
      case .unknown: break
      }
    }
    let values: Keys =
      texts.count > 0 ? .texts(texts) : reals.isEmpty ? .numbers(numbers) : .reals(reals)
    self.init(ids: ids, keys: values)
  }
}

/// Many texts in one piece of memory.
package struct TextList: Sendable {
  private var bytes: [UInt8] = []
  /// Where each ends.
  private var ends: [Int] = []

  package init() {}

  package var count: Int { ends.count }

  package mutating func append(_ text: String) {
    bytes += text.utf8
    ends.append(bytes.count)
  }

  package subscript(index: Int) -> String {
    let start = index > 0 ? ends[index - 1] : 0
    return String(decoding: bytes[start..<ends[index]], as: UTF8.self)
  }
}

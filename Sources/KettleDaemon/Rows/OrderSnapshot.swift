import KettleEngine
import KettleModel

/// The rows of a view at one moment: an id and a sort key for each, and nothing else.
struct OrderSnapshot: Sendable {
  let ids: [TransferID]
  private let keys: StoredOrder.Keys
  private let sort: RowSort
  /// Transfers added later have a greater id.
  let greatestID: TransferID?

  init(_ stored: StoredOrder, _ sort: RowSort) {
    ids = stored.ids
    keys = stored.keys
    self.sort = sort
    greatestID = stored.ids.max()
  }

  var count: Int { ids.count }

  func key(at index: Int) -> RowKey {
    RowKey(value: value(at: index), id: ids[index], isDescending: sort.isDescending)
  }

  private func value(at index: Int) -> RowKey.Value {
    switch keys {
    case .numbers(let numbers): index < numbers.count ? .number(numbers[index]) : .unknown
    case .reals(let reals): index < reals.count ? .real(reals[index]) : .unknown
    case .texts(let texts): index < texts.count ? .text(texts[index]) : .unknown
    }
  }

  /// Returns the index of a row; nil if it is not there.
  func index(of key: RowKey) -> Int? {
    let index = count(before: key)
    return index < count && ids[index] == key.id ? index : nil
  }

  /// The same by id alone, in time proportional to the number of rows.
  func index(of id: TransferID) -> Int? {
    guard let greatestID, id <= greatestID else { return nil }
    return ids.firstIndex(of: id)
  }

  /// Returns the number of rows before the key.
  func count(before key: RowKey) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = low + (high - low) / 2
      if self.key(at: middle) < key { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

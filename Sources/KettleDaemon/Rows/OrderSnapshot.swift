import KettleEngine
import KettleModel

/// The rows of a view at one moment: an id and a sort key for each, and nothing else.
struct OrderSnapshot: Sendable {
  let ids: [TransferID]
  /// Without their ids.
  private let sections: [StoredOrder.Section]
  /// The index of the first row of each section.
  private let starts: [Int]
  /// Transfers added later have a greater id.
  let greatestID: TransferID?

  init(_ stored: StoredOrder) {
    var start = 0
    starts = stored.sections.map { section in
      defer { start += section.ids.count }
      return start
    }
    ids = stored.ids
    sections = stored.sections.map {
      StoredOrder.Section($0.section, isDescending: $0.isDescending, keys: $0.keys)
    }
    greatestID = ids.max()
  }

  var count: Int { ids.count }

  func key(at index: Int) -> RowKey {
    let number = section(at: index)
    let section = sections[number]
    return RowKey(
      section: section.section, value: value(at: index - starts[number], section.keys),
      id: ids[index], isDescending: section.isDescending)
  }

  /// Returns the number of the section that has the row.
  private func section(at index: Int) -> Int {
    var (low, high) = (0, starts.count - 1)
    while low < high {
      let middle = low + (high - low + 1) / 2
      // A section without rows starts where the next one does.
      if starts[middle] <= index { low = middle } else { high = middle - 1 }
    }
    return low
  }

  private func value(at index: Int, _ keys: StoredOrder.Keys) -> RowKey.Value {
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

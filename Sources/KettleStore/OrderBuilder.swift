import KettleEngine
import KettleModel

/// Collects ids with their sort keys and sorts them in the order of `RowKey`. It uses only a few
/// bytes per row, because there may be a million.
struct OrderBuilder {
  private struct Entry<Key: Comparable> {
    var key: Key
    var id: Int64
  }

  private let isDescending: Bool
  private var numbers: [Entry<Int64>] = []
  private var reals: [Entry<Double>] = []
  /// The keys are indices into `texts`.
  private var texts = TextColumn()
  private var textIDs: [Int64] = []
  private var unknown: [Int64] = []

  init(isDescending: Bool) { self.isDescending = isDescending }

  mutating func add(_ key: RowKey) {
    switch key.value {
    case .number(let number): add(key.id.rawValue, number)
    case .real(let real): add(key.id.rawValue, real)
    case .text(let text):
      texts.append(text)
      textIDs.append(key.id.rawValue)
    case .unknown: addUnknown(key.id.rawValue)
    }
  }

  mutating func add(_ id: Int64, _ number: Int64) { numbers.append(Entry(key: number, id: id)) }

  mutating func add(_ id: Int64, _ real: Double) { reals.append(Entry(key: real, id: id)) }

  mutating func addUnknown(_ id: Int64) { unknown.append(id) }

  // MARK: The order

  consuming func finished() -> StoredOrder {
    if texts.count > 0 { return byText() }
    if !reals.isEmpty {
      Self.sort(&reals, isDescending)
      return StoredOrder(ids: ids(reals), keys: .reals(reals.map(\.key)))
    }
    Self.sort(&numbers, isDescending)
    return StoredOrder(ids: ids(numbers), keys: .numbers(numbers.map(\.key)))
  }

  /// - Parameter texts: the texts that the numbers refer to; several may be equal.
  consuming func finished(_ texts: [String]) -> StoredOrder {
    let inOrder = Set(texts).sorted()
    let ranks = Dictionary(uniqueKeysWithValues: zip(inOrder, Int64(0)...))
    let ranksByNumber = texts.map { ranks[$0] ?? 0 }
    for index in numbers.indices { numbers[index].key = ranksByNumber[Int(numbers[index].key)] }
    if numbers.isEmpty { return finished() }
    Self.sort(&numbers, isDescending)
    var list = TextList()
    for entry in numbers { list.append(inOrder[Int(entry.key)]) }
    return StoredOrder(ids: ids(numbers), keys: .texts(list))
  }

  private func byText() -> StoredOrder {
    let order = textIDs.indices.sorted { left, right in
      let comparison = texts.comparison(left, right)
      if comparison == 0 { return textIDs[left] < textIDs[right] }
      return isDescending ? comparison > 0 : comparison < 0
    }
    var list = TextList()
    for index in order { list.append(texts[index]) }
    return StoredOrder(
      ids: order.map { TransferID(rawValue: textIDs[$0]) } + unknownIDs, keys: .texts(list))
  }

  private var unknownIDs: [TransferID] { unknown.sorted().map(TransferID.init(rawValue:)) }

  private func ids<Key>(_ entries: [Entry<Key>]) -> [TransferID] {
    entries.map { TransferID(rawValue: $0.id) } + unknownIDs
  }

  private static func sort<Key>(_ entries: inout [Entry<Key>], _ isDescending: Bool) {
    // Rows with equal keys stay in id order, in either direction.
    if isDescending {
      entries.sort { $0.key == $1.key ? $0.id < $1.id : $1.key < $0.key }
    } else {
      entries.sort { $0.key == $1.key ? $0.id < $1.id : $0.key < $1.key }
    }
  }
}

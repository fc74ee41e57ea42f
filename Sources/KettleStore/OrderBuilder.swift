import KettleEngine
import KettleModel

/// Collects ids with their sort keys and sorts them in the order of `RowKey`. It uses only a few
/// bytes per row, because there may be a million.
struct OrderBuilder {
  private var builders: [SectionOrderBuilder] = []
  /// The index of the builder of each section.
  private var indices: [RowSection: Int] = [:]
  private var last = 0

  mutating func add(_ key: RowKey) {
    let index = index(of: key.section, isDescending: key.isDescending)
    builders[index].add(key)
  }

  mutating func add(
    _ id: Int64, _ number: Int64?, in section: RowSection, isDescending: Bool
  ) {
    let index = index(of: section, isDescending: isDescending)
    if let number { builders[index].add(id, number) } else { builders[index].addUnknown(id) }
  }

  mutating func add(_ id: Int64, _ real: Double, in section: RowSection, isDescending: Bool) {
    let index = index(of: section, isDescending: isDescending)
    builders[index].add(id, real)
  }

  /// Most rows are of the section of the row before them.
  private mutating func index(of section: RowSection, isDescending: Bool) -> Int {
    if last < builders.count, builders[last].section == section { return last }
    last = indices[section] ?? builders.count
    if last == builders.count {
      builders.append(SectionOrderBuilder(section, isDescending: isDescending))
      indices[section] = last
    }
    return last
  }

  mutating func finished() -> StoredOrder {
    let inOrder = builders.indices.sorted { builders[$0].section < builders[$1].section }
    return StoredOrder(inOrder.map { builders[$0].finished() })
  }
}

/// Collects the rows of one section.
struct SectionOrderBuilder {
  private struct Entry<Key: Comparable> {
    var key: Key
    var id: Int64
  }

  let section: RowSection
  private let isDescending: Bool
  private var numbers: [Entry<Int64>] = []
  private var reals: [Entry<Double>] = []
  /// The keys are indices into `texts`.
  private var texts = TextColumn()
  private var textIDs: [Int64] = []
  private var unknown: [Int64] = []

  init(_ section: RowSection = RowSection(), isDescending: Bool) {
    self.section = section
    self.isDescending = isDescending
  }

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

  mutating func finished() -> StoredOrder.Section {
    if texts.count > 0 { return byText() }
    if !reals.isEmpty {
      Self.sort(&reals, isDescending: isDescending)
      return made(ids(reals), .reals(reals.map(\.key)))
    }
    Self.sort(&numbers, isDescending: isDescending)
    return made(ids(numbers), .numbers(numbers.map(\.key)))
  }

  private func made(_ ids: [TransferID], _ keys: StoredOrder.Keys) -> StoredOrder.Section {
    StoredOrder.Section(section, isDescending: isDescending, ids: ids, keys: keys)
  }

  /// - Parameter texts: the texts that the numbers refer to; several may be equal.
  mutating func finished(_ texts: [String]) -> StoredOrder.Section {
    let inOrder = Set(texts).sorted()
    let ranks = Dictionary(uniqueKeysWithValues: zip(inOrder, Int64(0)...))
    let ranksByNumber = texts.map { ranks[$0] ?? 0 }
    for index in numbers.indices { numbers[index].key = ranksByNumber[Int(numbers[index].key)] }
    if numbers.isEmpty { return finished() }
    Self.sort(&numbers, isDescending: isDescending)
    var list = TextList()
    for entry in numbers { list.append(inOrder[Int(entry.key)]) }
    return made(ids(numbers), .texts(list))
  }

  private func byText() -> StoredOrder.Section {
    let order = textIDs.indices.sorted { left, right in
      let comparison = texts.comparison(left, right)
      if comparison == 0 { return textIDs[left] < textIDs[right] }
      return isDescending ? comparison > 0 : comparison < 0
    }
    var list = TextList()
    for index in order { list.append(texts[index]) }
    return made(order.map { TransferID(rawValue: textIDs[$0]) } + unknownIDs, .texts(list))
  }

  private var unknownIDs: [TransferID] { unknown.sorted().map(TransferID.init(rawValue:)) }

  private func ids<Key>(_ entries: [Entry<Key>]) -> [TransferID] {
    entries.map { TransferID(rawValue: $0.id) } + unknownIDs
  }

  /// Sorts in place. Rows with equal keys stay in id order, in either direction.
  private static func sort<Key>(_ entries: inout [Entry<Key>], isDescending: Bool) {
    if isDescending {
      entries.sort { $0.key == $1.key ? $0.id < $1.id : $1.key < $0.key }
    } else {
      entries.sort { $0.key == $1.key ? $0.id < $1.id : $0.key < $1.key }
    }
  }
}

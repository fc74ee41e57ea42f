import TransferModel

/// Ids in ascending order, in blocks: to take one of a million out moves a few thousand, not half
/// a million.
struct OrderedIDs: Sendable {
  /// A block that grows over it becomes two.
  private static let blockCountMax = 2048

  /// None is empty.
  private var blocks: [[TransferID]] = []
  private(set) var count = 0

  /// Puts an id in its place; the caller knows that it is not there.
  mutating func insert(_ id: TransferID) {
    count += 1
    guard let last = blocks.indices.last else {
      blocks = [[id]]
      return
    }
    let index = min(Self.lowerBound(blocks) { ($0.last ?? id) < id }, last)
    let isAtEnd = index == last && (blocks[last].last ?? id) < id
    if isAtEnd, blocks[last].count >= Self.blockCountMax {
      blocks.append([id])
      return
    }
    let place = Self.lowerBound(blocks[index]) { $0 < id }
    blocks[index].insert(id, at: place)
    if blocks[index].count > Self.blockCountMax { divide(index) }
  }

  /// Nothing happens when it is not there.
  mutating func remove(_ id: TransferID) {
    let index = Self.lowerBound(blocks) { ($0.last ?? id) < id }
    guard index < blocks.count else { return }
    let place = Self.lowerBound(blocks[index]) { $0 < id }
    guard place < blocks[index].count, blocks[index][place] == id else { return }
    blocks[index].remove(at: place)
    count -= 1
    if blocks[index].isEmpty { blocks.remove(at: index) }
  }

  /// So many from the index `first` on, or as many as there are.
  func window(first: Int, count: Int) -> [TransferID] {
    var skipped = max(0, first)
    var result: [TransferID] = []
    for block in blocks {
      if skipped >= block.count {
        skipped -= block.count
        continue
      }
      result += block.dropFirst(skipped).prefix(max(0, count) - result.count)
      skipped = 0
      if result.count >= count { break }
    }
    return result
  }

  var all: [TransferID] { blocks.flatMap { $0 } }

  private mutating func divide(_ index: Int) {
    let half = blocks[index].count / 2
    let upper = Array(blocks[index].dropFirst(half))
    blocks[index].removeLast(upper.count)
    blocks.insert(upper, at: index + 1)
  }

  /// The index of the first element that is not before; the count when there is none.
  private static func lowerBound<Element>(
    _ elements: [Element], isBefore: (Element) -> Bool
  ) -> Int {
    var low = 0
    var high = elements.count
    while low < high {
      let middle = (low + high) / 2
      if isBefore(elements[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

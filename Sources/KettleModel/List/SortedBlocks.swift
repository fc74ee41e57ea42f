/// Distinct elements in ascending order, in blocks: an insertion among a million moves a few
/// hundred, and finding an element's index does not scan those before it.
package struct SortedBlocks<Element: Comparable & Sendable>: Sendable {
  /// A larger block is divided in two.
  package static var blockCountMax: Int { 1024 }
  /// A smaller block is joined with the next one if there is room.
  private static var blockCountMin: Int { blockCountMax / 4 }

  /// No block is empty.
  private var blocks: [[Element]] = []
  package private(set) var count = 0

  package init() {}

  package init(sorted elements: [Element]) {
    count = elements.count
    // Half full, as after a division: the next few insertions do not divide all of them.
    blocks = stride(from: 0, to: elements.count, by: Self.blockCountMax / 2).map { start in
      Array(elements[start..<min(start + Self.blockCountMax / 2, elements.count)])
    }
  }

  package var first: Element? { blocks.first?.first }
  package var last: Element? { blocks.last?.last }
  package var all: [Element] { blocks.flatMap { $0 } }

  /// Inserts an element; it must not be contained yet.
  package mutating func insert(_ element: Element) {
    count += 1
    guard let last else {
      blocks = [[element]]
      return
    }
    if last < element {
      append(element)
      return
    }
    let block = blockIndex(of: element)
    blocks[block].insert(element, at: Self.lowerBound(blocks[block]) { $0 < element })
    if blocks[block].count > Self.blockCountMax { divide(block) }
  }

  /// Does nothing when the element is not contained.
  package mutating func remove(_ element: Element) {
    guard let (block, place) = find(element) else { return }
    blocks[block].remove(at: place)
    count -= 1
    if blocks[block].isEmpty {
      blocks.remove(at: block)
    } else if blocks[block].count < Self.blockCountMin {
      join(block)
    }
  }

  /// How many elements are before it; nil when it is not contained.
  package func index(of element: Element) -> Int? {
    guard let (block, place) = find(element) else { return nil }
    return blocks[..<block].reduce(place) { $0 + $1.count }
  }

  /// How many elements are smaller, whether it is contained or not.
  package func count(before element: Element) -> Int {
    let block = blockIndex(of: element)
    guard block < blocks.count else { return count }
    let place = Self.lowerBound(blocks[block]) { $0 < element }
    return blocks[..<block].reduce(place) { $0 + $1.count }
  }

  /// nil when the index is out of range.
  package func element(at index: Int) -> Element? {
    guard index >= 0 else { return nil }
    var rest = index
    for block in blocks {
      if rest < block.count { return block[rest] }
      rest -= block.count
    }
    return nil
  }

  /// The element before it; the last one when all are smaller.
  package func element(before element: Element) -> Element? {
    let block = blockIndex(of: element)
    guard block < blocks.count else { return last }
    let place = Self.lowerBound(blocks[block]) { $0 < element }
    if place > 0 { return blocks[block][place - 1] }
    return block > 0 ? blocks[block - 1].last : nil
  }

  package func element(after element: Element) -> Element? {
    let block = Self.lowerBound(blocks) { ($0.last ?? element) <= element }
    guard block < blocks.count else { return nil }
    return blocks[block][Self.lowerBound(blocks[block]) { $0 <= element }]
  }

  /// Up to `count` elements from the index `first` on.
  package func window(first: Int, count: Int) -> [Element] {
    var skipped = max(0, first)
    var result: [Element] = []
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

  // MARK: Blocks

  private mutating func append(_ element: Element) {
    let last = blocks.count - 1
    if blocks[last].count >= Self.blockCountMax {
      blocks.append([element])
    } else {
      blocks[last].append(element)
    }
  }

  private mutating func divide(_ index: Int) {
    let half = blocks[index].count / 2
    let upper = Array(blocks[index].dropFirst(half))
    blocks[index].removeLast(upper.count)
    blocks.insert(upper, at: index + 1)
  }

  private mutating func join(_ index: Int) {
    guard index + 1 < blocks.count,
      blocks[index].count + blocks[index + 1].count <= Self.blockCountMax / 2
    else { return }
    blocks[index] += blocks.remove(at: index + 1)
  }

  private func find(_ element: Element) -> (block: Int, place: Int)? {
    let block = blockIndex(of: element)
    guard block < blocks.count else { return nil }
    let place = Self.lowerBound(blocks[block]) { $0 < element }
    guard place < blocks[block].count, blocks[block][place] == element else { return nil }
    return (block, place)
  }

  /// The first block that does not end before the element; the block count when all do.
  private func blockIndex(of element: Element) -> Int {
    Self.lowerBound(blocks) { ($0.last ?? element) < element }
  }

  /// The index of the first item that is not before; the count when there is none.
  private static func lowerBound<Item>(_ items: [Item], isBefore: (Item) -> Bool) -> Int {
    var low = 0
    var high = items.count
    while low < high {
      let middle = low + (high - low) / 2
      if isBefore(items[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

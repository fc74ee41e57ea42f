/// Elements in ascending order, no two equal, in blocks: to put one among a million moves a few
/// hundred, and where one stands is told without going through all before it.
package struct SortedBlocks<Element: Comparable & Sendable>: Sendable {
  /// A block that grows over it becomes two.
  package static var blockCountMax: Int { 1024 }
  /// One that has fewer goes together with the next one, where there is room.
  private static var blockCountMin: Int { blockCountMax / 4 }

  /// None is empty.
  private var blocks: [[Element]] = []
  package private(set) var count = 0

  package init() {}

  package init(sorted elements: [Element]) {
    count = elements.count
    // Half full, as after a division: the next few do not divide them all.
    blocks = stride(from: 0, to: elements.count, by: Self.blockCountMax / 2).map { start in
      Array(elements[start..<min(start + Self.blockCountMax / 2, elements.count)])
    }
  }

  package var first: Element? { blocks.first?.first }
  package var last: Element? { blocks.last?.last }
  package var all: [Element] { blocks.flatMap { $0 } }

  /// Puts an element in its place; the caller knows that it is not there.
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

  /// Nothing happens when it is not there.
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

  /// How many stand before it; nil when it is not there.
  package func index(of element: Element) -> Int? {
    guard let (block, place) = find(element) else { return nil }
    return blocks[..<block].reduce(place) { $0 + $1.count }
  }

  /// How many are smaller, whether it is there or not.
  package func count(before element: Element) -> Int {
    let block = blockIndex(of: element)
    guard block < blocks.count else { return count }
    let place = Self.lowerBound(blocks[block]) { $0 < element }
    return blocks[..<block].reduce(place) { $0 + $1.count }
  }

  /// nil when there are not so many.
  package func element(at index: Int) -> Element? {
    guard index >= 0 else { return nil }
    var rest = index
    for block in blocks {
      if rest < block.count { return block[rest] }
      rest -= block.count
    }
    return nil
  }

  /// The neighbour in front; the last one when nothing like it is there and all are smaller.
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

  /// So many from the index `first` on, or as many as there are.
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

  /// The first block that does not end before the element; the count when all do.
  private func blockIndex(of element: Element) -> Int {
    Self.lowerBound(blocks) { ($0.last ?? element) < element }
  }

  /// The index of the first that is not before; the count when there is none.
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

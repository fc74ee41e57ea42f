import KettleModel

/// The last controls that discarded nothing, and what undoes them. They are only in memory: a
/// restart of the service forgets them.
package struct ControlLog: Sendable {
  package struct Entry: Sendable {
    package let action: BinAction
    package fileprivate(set) var content: Content
  }

  package enum Content: Sendable {
    case rows([Reversal: IDRanges])
    case order([Place])
    /// The limit for all transfers together.
    case totalLimit(before: Int64?, after: Int64?)

    fileprivate var valueCount: Int {
      switch self {
      case .rows(let groups): groups.values.reduce(0) { $0 + $1.ranges.count }
      case .order(let places): places.count
      case .totalLimit: 1
      }
    }
  }

  /// A transfer that was given another position.
  package struct Place: Sendable, Hashable {
    package var id: TransferID
    package var before: Int64
    package var after: Int64
  }

  package static let entryCountMax = 100
  /// The largest number of ranges and positions in all entries: at most 3 MB.
  package static let valueCountMax = 100_000

  /// The oldest first.
  package private(set) var entries: [Entry] = []
  private var valueCount = 0

  package init() {}

  /// Returns the actions that can be undone now, the latest first.
  func actions(at now: WallTime) -> [BinAction] {
    entries.reversed().map(\.action).filter { $0.expiresAt > now }
  }

  /// Records what undoes an action on one transfer. An action with too many values is recorded in
  /// part.
  mutating func note(_ reversal: Reversal, of id: TransferID, in action: BinAction) {
    let known = entries.lastIndex { $0.action.number == action.number }
    if known == nil { append(action, .rows([:])) }
    guard let index = known ?? entries.indices.last, case .rows(var groups) = entries[index].content
    else { return }
    // Without this, the dictionary would be copied.
    entries[index].content = .rows([:])
    var ranges = groups.removeValue(forKey: reversal) ?? IDRanges()
    let rangeCount = ranges.ranges.count
    if valueCount < Self.valueCountMax || ranges.extends(to: id) { ranges.append(id) }
    valueCount += ranges.ranges.count - rangeCount
    if !ranges.ranges.isEmpty { groups[reversal] = ranges }
    entries[index].content = .rows(groups)
    if valueCount >= Self.valueCountMax, index > 0 { removeFirst() }
  }

  mutating func append(_ action: BinAction, _ content: Content) {
    entries.removeAll { $0.action.expiresAt <= action.at }
    let added = content.valueCount
    guard added <= Self.valueCountMax else { return }
    entries.append(Entry(action: action, content: content))
    valueCount = entries.reduce(0) { $0 + $1.content.valueCount }
    while entries.count > Self.entryCountMax || valueCount > Self.valueCountMax { removeFirst() }
  }

  private mutating func removeFirst() { valueCount -= entries.removeFirst().content.valueCount }

  /// Removes and returns an action that is about to be undone.
  mutating func take(_ number: Int64) -> Entry? {
    guard let index = entries.firstIndex(where: { $0.action.number == number }) else { return nil }
    let entry = entries.remove(at: index)
    valueCount -= entry.content.valueCount
    return entry
  }

  mutating func removeAll() { self = ControlLog() }
}

/// Many ids in little memory: consecutive ones are one range.
package struct IDRanges: Sendable, Hashable {
  package private(set) var ranges: [ClosedRange<TransferID>] = []

  package init() {}

  func extends(to id: TransferID) -> Bool {
    ranges.last.map { $0.upperBound.rawValue &+ 1 == id.rawValue } ?? false
  }

  mutating func append(_ id: TransferID) {
    if extends(to: id), let last = ranges.last {
      ranges[ranges.count - 1] = last.lowerBound...id
    } else {
      ranges.append(id...id)
    }
  }

  package var count: Int {
    ranges.reduce(0) { $0 + Int(clamping: $1.upperBound.rawValue &- $1.lowerBound.rawValue) + 1 }
  }

  package var first: TransferID? { ranges.first?.lowerBound }

  /// The ids, at most `countMax` at a time.
  package func parts(countMax: Int) -> some Sequence<[TransferID]> {
    sequence(state: (index: 0, next: ranges.first?.lowerBound.rawValue)) { [ranges] place in
      var part: [TransferID] = []
      while part.count < countMax, let next = place.next {
        part.append(TransferID(rawValue: next))
        if next < ranges[place.index].upperBound.rawValue {
          place.next = next + 1
        } else {
          place.index += 1
          place.next =
            ranges.indices.contains(place.index) ? ranges[place.index].lowerBound.rawValue : nil
        }
      }
      return part.isEmpty ? nil : part
    }
  }
}

import KettleModel

/// The queued transfers of one session at one origin, sorted. The front is removed in constant
/// time: removed keys stay before `start` until they are half of the array.
struct OriginQueue: Sendable {
  private var sorted: [QueueKey] = []
  private var start = 0

  var isEmpty: Bool { start == sorted.count }
  var front: QueueKey? { isEmpty ? nil : sorted[start] }
  var keys: ArraySlice<QueueKey> { sorted[start...] }

  /// How many keys are before a frontier.
  func count(before frontier: LoadedFrontier) -> Int {
    switch frontier {
    case .start: 0
    case .upTo(let key): lowerBound(of: key) - start
    case .complete: sorted.count - start
    }
  }

  mutating func insert(_ key: QueueKey) { sorted.insert(key, at: lowerBound(of: key)) }

  mutating func remove(_ key: QueueKey) {
    let index = lowerBound(of: key)
    guard index < sorted.count, sorted[index] == key else { return }
    guard index == start else {
      sorted.remove(at: index)
      return
    }
    start += 1
    if start * 2 > sorted.count {
      sorted.removeFirst(start)
      start = 0
    }
  }

  private func lowerBound(of key: QueueKey) -> Int {
    var low = start
    var high = sorted.count
    while low < high {
      let middle = (low + high) / 2
      if sorted[middle] < key { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

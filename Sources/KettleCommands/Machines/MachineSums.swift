import KettleControl
import KettleModel

extension FixedWidthInteger {
  /// Saturates, because what another machine says can be any number.
  mutating func add(_ other: Self) {
    let (sum, overflow) = addingReportingOverflow(other)
    self = overflow ? (other < 0 ? .min : .max) : sum
  }

  /// Returns the sum of the known numbers; nil if none is known.
  static func sum(of numbers: [Self?]) -> Self? {
    let known = numbers.compactMap(\.self)
    return known.isEmpty ? nil : known.reduce(into: 0) { $0.add($1) }
  }
}

extension Totals {
  /// The totals of several machines together. Each has a disk of its own, so the free bytes are
  /// unknown. There is a limit if each machine has one.
  static func sum(of parts: [Totals]) -> Totals {
    var sum = Totals()
    for part in parts {
      sum.bytesPerSecond.add(part.bytesPerSecond)
      for (state, count) in part.counts { sum.counts[state, default: 0].add(count) }
    }
    let limits = parts.map(\.limitBytesPerSecond)
    if !limits.contains(nil) { sum.limitBytesPerSecond = .sum(of: limits) }
    if Set(parts.map(\.limitUntil)).count == 1 { sum.limitUntil = parts.first?.limitUntil }
    sum.needsUserCount = .sum(of: parts.map(\.needsUserCount))
    sum.failedHookCount = .sum(of: parts.map(\.failedHookCount))
    sum.batch = .sum(of: parts.compactMap(\.batch))
    return sum
  }
}

extension BatchProgress {
  /// The batches end when the last of them does.
  fileprivate static func sum(of parts: [BatchProgress]) -> BatchProgress? {
    guard var sum = parts.first else { return nil }
    for part in parts.dropFirst() {
      sum.transferCount.add(part.transferCount)
      sum.finishedCount.add(part.finishedCount)
      sum.bytesReceived.add(part.bytesReceived)
      sum.bytesExpected.add(part.bytesExpected)
      sum.unknownSizeCount.add(part.unknownSizeCount)
    }
    sum.secondsLeft = latest(parts.map(\.secondsLeft))
    sum.readyAt = latest(parts.map(\.readyAt))
    sum.readyAtIsGuess = parts.contains { $0.readyAtIsGuess == true } ? true : nil
    sum.unpredictableCount = .sum(of: parts.map(\.unpredictableCount))
    return sum
  }

  /// Returns nil if one of them is unknown.
  private static func latest<Time: Comparable>(_ times: [Time?]) -> Time? {
    times.contains { $0 == nil } ? nil : times.compactMap(\.self).max()
  }
}

extension TransferNews {
  /// Returns what happened on both machines, since the earlier time.
  func joined(_ other: TransferNews) -> TransferNews {
    var sum = self
    sum.since = min(since, other.since)
    sum.completedCount.add(other.completedCount)
    sum.completedByteCount.add(other.completedByteCount)
    sum.failedCount.add(other.failedCount)
    sum.needsLinkCount.add(other.needsLinkCount)
    sum.needsLoginCount.add(other.needsLoginCount)
    sum.needsDecisionCount.add(other.needsDecisionCount)
    return sum
  }
}

extension BinBytes {
  /// Returns both together, until the bytes of the first are deleted.
  func joined(_ other: BinBytes) -> BinBytes {
    var sum = self
    sum.transferCount.add(other.transferCount)
    sum.byteCount.add(other.byteCount)
    sum.until = [until, other.until].compactMap(\.self).min()
    return sum
  }
}

extension RowSearch {
  /// Returns the next match among the rows of the whole list.
  func find(in rows: [TransferSnapshot]) -> FoundRow? {
    guard !isEmpty, !rows.isEmpty else { return nil }
    let test = RowTest(wanted)
    let begin = rows.firstIndex { $0.id == start } ?? min(max(0, startIndex), rows.count - 1)
    let skipped = includesStart ? 0 : 1
    for step in skipped..<(rows.count + skipped) {
      let place = isBackwards ? begin - step : begin + step
      let index = (place + 2 * rows.count) % rows.count
      guard test.passes(rows[index]) else { continue }
      return FoundRow(id: rows[index].id, index: index, hasWrapped: place != index)
    }
    return nil
  }
}

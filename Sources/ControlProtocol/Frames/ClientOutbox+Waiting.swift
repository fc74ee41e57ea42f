import TransferModel

extension ClientOutbox {
  /// The queue of one client.
  struct Waiting: Sendable {
    private enum Entry: Sendable {
      case reply([UInt8])
      case event(TransferEvent)
      case completed(IDRuns)
      /// Where the slot stands; its content is in `viewport`.
      case viewport
    }

    private struct Place: Sendable {
      var entry: Entry
      var byteCount: Int

      /// False when it is something else.
      mutating func gather(_ runs: IDRuns, _ byteCount: Int) -> Bool {
        guard case .completed(var gathered) = entry else { return false }
        // So that the list has one owner and is changed in place.
        entry = .viewport
        gathered.append(contentsOf: runs)
        entry = .completed(gathered)
        self.byteCount += byteCount
        return true
      }
    }

    /// Those before `head` were sent.
    private var places: [Place?] = []
    private var head = 0
    /// How many entries were removed from the front of `places` for good.
    private var removedCount = 0
    private var viewport: RowWindow?
    /// Where the unsent progress of a transfer stands, counted from the first entry ever, as long
    /// as nothing else about this transfer stands behind it.
    private var progressNumbers: [TransferID: Int] = [:]

    private(set) var byteCount = 0
    private(set) var eventCount = 0

    var isEmpty: Bool { head == places.count }

    mutating func add(reply line: [UInt8]) { append(.reply(line), line.count) }

    mutating func setViewport(_ window: RowWindow) {
      if viewport == nil { append(.viewport, 0) }
      viewport = window
    }

    mutating func add(_ event: TransferEvent) {
      guard event.kind == .progress else {
        progressNumbers[event.id] = nil
        return append(new: event)
      }
      guard let number = progressNumbers[event.id],
        case .event(let waiting)? = places[number - removedCount]?.entry
      else {
        progressNumbers[event.id] = removedCount + places.count
        return append(new: event)
      }
      var joined = event
      joined.bytesWritten = Self.sum(waiting.bytesWritten, event.bytesWritten)
      places[number - removedCount]?.entry = .event(joined)
    }

    mutating func add(completed runs: IDRuns) {
      let byteCount = runs.runs.count * Self.byteCountOfRun
      let last = places.count - 1
      guard last >= head, places[last]?.gather(runs, byteCount) == true else {
        return append(.completed(runs), byteCount)
      }
      self.byteCount += byteCount
    }

    mutating func removeFirst() -> Item? {
      guard head < places.count, let place = places[head] else { return nil }
      let number = removedCount + head
      places[head] = nil
      head += 1
      byteCount -= place.byteCount
      forgetSent()
      switch place.entry {
      case .reply(let line): return .reply(line)
      case .viewport:
        defer { viewport = nil }
        return viewport.map { .notification(.viewport($0)) }
      case .event(let event):
        eventCount -= 1
        if progressNumbers[event.id] == number { progressNumbers[event.id] = nil }
        return .notification(.event(event))
      case .completed(let runs): return .notification(.completed(CompletedTransfers(runs: runs)))
      }
    }

    private mutating func append(new event: TransferEvent) {
      eventCount += 1
      append(.event(event), Self.roughByteCount(of: event))
    }

    private mutating func append(_ entry: Entry, _ byteCount: Int) {
      places.append(Place(entry: entry, byteCount: byteCount))
      self.byteCount += byteCount
    }

    /// Gives the room of sent entries back when they are the larger part, so that each entry is
    /// moved once on average.
    private mutating func forgetSent() {
      guard head == places.count || (head >= 64 && head > places.count / 2) else { return }
      places.removeFirst(head)
      removedCount += head
      head = 0
    }

    private static func sum(_ left: Int64?, _ right: Int64?) -> Int64? {
      guard let left, let right else { return left ?? right }
      let (sum, overflow) = left.addingReportingOverflow(right)
      return overflow ? .max : sum
    }

    /// Two numbers and what parts them.
    private static let byteCountOfRun = 24

    /// The names and numbers of an event as JSON are less than 640 bytes; the rest is its texts.
    private static func roughByteCount(of event: TransferEvent) -> Int {
      let snapshot = event.snapshot
      let texts = [
        snapshot.title, snapshot.url, snapshot.path, snapshot.error?.subject,
        snapshot.error?.detail,
      ]
      return texts.reduce(640) { $0 + ($1?.utf8.count ?? 0) }
    }
  }
}

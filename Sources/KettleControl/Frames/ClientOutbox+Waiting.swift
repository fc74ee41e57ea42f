import KettleModel

extension ClientOutbox {
  /// The queue of one client.
  struct Waiting: Sendable {
    fileprivate enum Entry: Sendable {
      case reply([UInt8])
      /// `bytesWritten` is the sum of its merged progress.
      case event(any OutboxEvent, id: TransferID, bytesWritten: Int64?)
      case completed(IDRuns)
      /// The position of the slot; its content is in `viewport`.
      case viewport
      /// Events were left out here.
      case gap
    }

    fileprivate struct Place: Sendable {
      var entry: Entry
      var byteCount: Int

      /// Returns false when the entry is something else.
      mutating func gather(_ runs: IDRuns, _ byteCount: Int) -> Bool {
        guard case .completed(var gathered) = entry else { return false }
        // Keeps the list uniquely referenced, so that it is changed in place.
        entry = .viewport
        gathered.append(contentsOf: runs)
        entry = .completed(gathered)
        self.byteCount += byteCount
        return true
      }
    }

    /// Entries before `head` were sent.
    private var places: [Place?] = []
    private var head = 0
    /// The number of entries removed from the front of `places`.
    private var removedCount = 0
    private var viewport: RowWindow?
    /// The position of each transfer's unsent progress, counted from the first entry ever. Absent
    /// once another event of the transfer is queued behind it.
    private var progressNumbers: [TransferID: Int] = [:]

    private(set) var size = Size()
    private(set) var eventCount = 0

    var isEmpty: Bool { head == places.count }

    mutating func add(reply line: [UInt8]) { append(.reply(line), Size(reply: line.count)) }

    /// Replaces an unsent window.
    mutating func setViewport(_ window: RowWindow) {
      let isNew = viewport == nil
      size -= viewportSize
      viewport = window
      size += viewportSize
      if isNew { places.append(Place(entry: .viewport, byteCount: 0)) }
    }

    mutating func add(_ event: any OutboxEvent) {
      let outline = event.outline
      guard outline.kind == .progress else {
        progressNumbers[outline.id] = nil
        return append(event, outline)
      }
      guard let number = progressNumbers[outline.id],
        case .event(_, _, let waiting)? = places[number - removedCount]?.entry
      else {
        progressNumbers[outline.id] = removedCount + places.count
        return append(event, outline)
      }
      places[number - removedCount]?.entry = .event(
        event, id: outline.id, bytesWritten: Self.sum(waiting, outline.bytesWritten))
    }

    mutating func add(completed runs: IDRuns) {
      let byteCount = runs.runs.count * Self.byteCountOfRun
      let last = places.count - 1
      guard last >= head, places[last]?.gather(runs, byteCount) == true else {
        return append(.completed(runs), Size(event: byteCount))
      }
      size += Size(event: byteCount)
    }

    /// Discards the events and queues one notice of the gap.
    mutating func leaveOutEvents() {
      let kept = places[head...].filter { $0?.isEvent == false }
      removedCount += places.count
      places = Array(kept) + [Place(entry: .gap, byteCount: 0)]
      head = 0
      progressNumbers = [:]
      eventCount = 0
      size.eventByteCount = 0
    }

    mutating func removeFirst() -> (item: Item, size: Size)? {
      guard head < places.count, let place = places[head] else { return nil }
      let number = removedCount + head
      places[head] = nil
      head += 1
      forgetSent()
      let taken: (Item, Size)
      switch place.entry {
      case .reply(let line): taken = (.reply(line), Size(reply: place.byteCount))
      case .viewport:
        guard let window = viewport else { return nil }
        taken = (.notification(.viewport(window)), viewportSize)
        viewport = nil
      case .event(let event, let id, let bytesWritten):
        eventCount -= 1
        if progressNumbers[id] == number { progressNumbers[id] = nil }
        taken = (.event(event, bytesWritten: bytesWritten), Size(event: place.byteCount))
      case .completed(let runs):
        taken = (
          .notification(.completed(CompletedTransfers(runs: runs))), Size(event: place.byteCount)
        )
      case .gap: taken = (.notification(.resynchronise), Size())
      }
      size -= taken.1
      return taken
    }

    private var viewportSize: Size { Size(viewport: viewport?.estimatedByteCount ?? 0) }

    private mutating func append(_ event: any OutboxEvent, _ outline: EventOutline) {
      eventCount += 1
      append(
        .event(event, id: outline.id, bytesWritten: outline.bytesWritten),
        Size(event: outline.byteCount))
    }

    private mutating func append(_ entry: Entry, _ size: Size) {
      places.append(Place(entry: entry, byteCount: size.byteCount))
      self.size += size
    }

    /// Frees the room of sent entries when they are the larger part, so that each entry is moved
    /// once on average.
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

    /// Two numbers and their separators.
    private static let byteCountOfRun = 24
  }

  /// The size of what waits, by kind, in bytes.
  struct Size: Hashable, Sendable {
    var replyByteCount = 0
    var eventByteCount = 0
    var viewportByteCount = 0

    init() {}
    init(reply byteCount: Int) { replyByteCount = byteCount }
    init(event byteCount: Int) { eventByteCount = byteCount }
    init(viewport byteCount: Int) { viewportByteCount = byteCount }

    var byteCount: Int { replyByteCount + eventByteCount + viewportByteCount }

    static func += (left: inout Size, right: Size) {
      left.replyByteCount += right.replyByteCount
      left.eventByteCount += right.eventByteCount
      left.viewportByteCount += right.viewportByteCount
    }

    static func -= (left: inout Size, right: Size) {
      left.replyByteCount -= right.replyByteCount
      left.eventByteCount -= right.eventByteCount
      left.viewportByteCount -= right.viewportByteCount
    }
  }
}

extension ClientOutbox.Waiting.Place {
  fileprivate var isEvent: Bool {
    switch entry {
    case .event, .completed, .gap: true
    case .reply, .viewport: false
    }
  }
}

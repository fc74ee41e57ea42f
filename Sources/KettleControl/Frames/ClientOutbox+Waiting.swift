import KettleModel

extension ClientOutbox {
  /// The queue of one client.
  struct Waiting: Sendable {
    fileprivate enum Entry: Sendable {
      case reply([UInt8])
      /// The place of a reply that is still being made. Nothing behind it is sent before it.
      case reservedReply
      /// `bytesWritten` is the sum of its merged progress.
      case event(any OutboxEvent, id: TransferID, bytesWritten: Int64?)
      case completed(IDRuns)
      /// The position of the slot; its content is in `viewport`.
      case viewport
      /// Events are missing here.
      case gap
    }

    fileprivate struct Slot: Sendable {
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
    private var slots: [Slot?] = []
    private var head = 0
    /// The number of entries removed from the front of `slots`.
    private var removedCount = 0
    private var viewport: RowWindow?
    /// The position of each transfer's unsent progress, counted from the first entry ever. Absent
    /// once another event of the transfer is queued behind it.
    private var progressNumbers: [TransferID: Int] = [:]
    /// The position of the reserved reply, counted from the first entry ever.
    private var reservedNumber: Int?

    private(set) var size = Size()
    private(set) var eventCount = 0

    var isEmpty: Bool { head == slots.count }

    /// Puts the reply in its reserved place if there is one, otherwise at the end.
    mutating func add(reply line: [UInt8]) {
      guard let number = reservedNumber else {
        return append(.reply(line), Size(reply: line.count))
      }
      slots[number - removedCount] = Slot(entry: .reply(line), byteCount: line.count)
      size += Size(reply: line.count)
      reservedNumber = nil
    }

    /// Reserves the place of the next reply. Progress that arrives later is not merged into
    /// progress in front of it.
    mutating func reserveReply() {
      reservedNumber = removedCount + slots.count
      append(.reservedReply, Size())
      progressNumbers = [:]
    }

    /// Replaces an unsent window.
    mutating func setViewport(_ window: RowWindow) {
      let isNew = viewport == nil
      size -= viewportSize
      viewport = window
      size += viewportSize
      if isNew { slots.append(Slot(entry: .viewport, byteCount: 0)) }
    }

    mutating func add(_ event: any OutboxEvent) {
      let outline = event.outline
      guard outline.kind == .progress else {
        progressNumbers[outline.id] = nil
        return append(event, outline)
      }
      guard let number = progressNumbers[outline.id],
        case .event(_, _, let waiting)? = slots[number - removedCount]?.entry
      else {
        progressNumbers[outline.id] = removedCount + slots.count
        return append(event, outline)
      }
      slots[number - removedCount]?.entry = .event(
        event, id: outline.id, bytesWritten: Self.sum(waiting, outline.bytesWritten))
    }

    mutating func add(completed runs: IDRuns) {
      let byteCount = runs.runs.count * Self.byteCountOfRun
      let last = slots.count - 1
      guard last >= head, slots[last]?.gather(runs, byteCount) == true else {
        return append(.completed(runs), Size(event: byteCount))
      }
      size += Size(event: byteCount)
    }

    /// Discards the events and queues one gap notice.
    mutating func omitEvents() {
      let kept = slots[head...].filter { $0?.isEvent == false }
      removedCount += slots.count
      slots = Array(kept) + [Slot(entry: .gap, byteCount: 0)]
      head = 0
      progressNumbers = [:]
      if reservedNumber != nil {
        reservedNumber = slots.firstIndex { $0?.isReserved == true }.map { removedCount + $0 }
      }
      eventCount = 0
      size.eventByteCount = 0
    }

    mutating func removeFirst() -> (item: Item, size: Size)? {
      guard head < slots.count, let slot = slots[head], !slot.isReserved else { return nil }
      let number = removedCount + head
      slots[head] = nil
      head += 1
      forgetSent()
      let taken: (Item, Size)
      switch slot.entry {
      case .reply(let line): taken = (.reply(line), Size(reply: slot.byteCount))
      case .reservedReply: return nil
      case .viewport:
        guard let window = viewport else { return nil }
        taken = (.notification(.viewport(window)), viewportSize)
        viewport = nil
      case .event(let event, let id, let bytesWritten):
        eventCount -= 1
        if progressNumbers[id] == number { progressNumbers[id] = nil }
        taken = (.event(event, bytesWritten: bytesWritten), Size(event: slot.byteCount))
      case .completed(let runs):
        taken = (
          .notification(.completed(CompletedTransfers(runs: runs))), Size(event: slot.byteCount)
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
      slots.append(Slot(entry: entry, byteCount: size.byteCount))
      self.size += size
    }

    /// Frees the room of sent entries when they are the larger part, so that each entry is moved
    /// once on average.
    private mutating func forgetSent() {
      guard head == slots.count || (head >= 64 && head > slots.count / 2) else { return }
      slots.removeFirst(head)
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

extension ClientOutbox.Waiting.Slot {
  fileprivate var isEvent: Bool {
    switch entry {
    case .event, .completed, .gap: true
    case .reply, .reservedReply, .viewport: false
    }
  }

  fileprivate var isReserved: Bool {
    switch entry {
    case .reservedReply: true
    case .reply, .event, .completed, .viewport, .gap: false
    }
  }
}

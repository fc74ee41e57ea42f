import KettleControl
import KettleModel
import SeededNumbers
import Testing

struct ClientOutboxTests {
  /// An item in a form that can be compared.
  private enum Sent: Hashable {
    case reply([UInt8])
    case notification(ControlNotification)

    init(_ item: ClientOutbox.Item) {
      if case .reply(let line) = item {
        self = .reply(line)
      } else {
        self = .notification(item.notification ?? .resynchronise)
      }
    }
  }

  private func next(_ outbox: inout ClientOutbox) -> Sent? { outbox.next().map(Sent.init) }

  private func drain(_ outbox: inout ClientOutbox) -> [Sent] {
    var items: [Sent] = []
    while let item = next(&outbox) { items.append(item) }
    return items
  }

  private func event(
    _ kind: TransferEvent.Kind, _ id: Int64 = 1, at time: Int64 = 0, written: Int64? = nil,
    total: Int64? = nil
  ) -> TransferEvent {
    ProtocolSamples.event(kind, id, at: time, written: written, total: total)
  }

  @Test func `replies and events leave in the order of their arrival`() {
    var outbox = ClientOutbox()
    let first = event(.added)
    let second = event(.stateChanged, at: 1)
    #expect(outbox.isEmpty)
    #expect(outbox.enqueue(event: first) == .queued)
    #expect(outbox.enqueue(reply: [1]) == .queued)
    #expect(outbox.enqueue(event: second) == .queued)
    #expect(outbox.enqueue(reply: [2]) == .queued)
    #expect(!outbox.isEmpty)
    #expect(
      drain(&outbox) == [
        .notification(.event(first)), .reply([1]), .notification(.event(second)), .reply([2]),
      ])
    #expect(outbox.isEmpty)
  }

  @Test func `events after a reserved reply wait for it, and those before do not`() {
    var outbox = ClientOutbox()
    let (before, after) = (event(.progress, written: 1), event(.progress, at: 1, written: 2))
    #expect(outbox.enqueue(event: before) == .queued)
    #expect(outbox.reserveReply() == .queued)
    #expect(outbox.enqueue(event: after) == .queued)
    // Progress behind the reply is not merged into progress in front of it.
    #expect(drain(&outbox) == [.notification(.event(before))])
    #expect(outbox.enqueue(reply: [1]) == .queued)
    #expect(outbox.enqueue(reply: [2]) == .queued)
    #expect(drain(&outbox) == [.reply([1]), .notification(.event(after)), .reply([2])])
  }

  @Test func `a client that falls behind a reserved reply receives the notice after it`() {
    var outbox = ClientOutbox(limits: .init(eventCountMax: 1), lag: .resynchronises)
    _ = outbox.enqueue(reply: [1])
    _ = outbox.enqueue(event: event(.added, 1))
    _ = outbox.reserveReply()
    #expect(outbox.enqueue(event: event(.added, 2)) == .omitted)
    _ = outbox.enqueue(reply: [2])
    #expect(drain(&outbox) == [.reply([1]), .reply([2]), .notification(.resynchronise)])
    _ = outbox.enqueue(reply: [3])
    #expect(drain(&outbox) == [.reply([3])])
  }

  @Test func `a newer window replaces the unsent one`() {
    var outbox = ClientOutbox()
    for first in 0..<1000 {
      #expect(outbox.enqueue(viewport: ProtocolSamples.window(first: first)) == .queued)
      if first == 0 { _ = outbox.enqueue(reply: [1]) }
    }
    #expect(
      drain(&outbox) == [
        .notification(.viewport(ProtocolSamples.window(first: 999))), .reply([1]),
      ])
    _ = outbox.enqueue(viewport: ProtocolSamples.window(first: 5))
    #expect(drain(&outbox) == [.notification(.viewport(ProtocolSamples.window(first: 5)))])
  }

  @Test func `waiting progress of a transfer is summed and has the newest totals`() {
    var outbox = ClientOutbox()
    for step: Int64 in 1...100_000 {
      #expect(
        outbox.enqueue(event: event(.progress, at: step, written: 2, total: 2 * step)) == .queued)
    }
    #expect(
      drain(&outbox) == [
        .notification(
          .event(event(.progress, at: 100_000, written: 200_000, total: 200_000)))
      ])
  }

  @Test func `completed ids are gathered until another item follows them`() {
    func runs(_ ids: Int64...) -> IDRuns { IDRuns(ids.map(TransferID.init(rawValue:))) }
    func completed(_ ids: Int64...) -> Sent {
      .notification(
        .completed(CompletedTransfers(runs: IDRuns(ids.map(TransferID.init(rawValue:))))))
    }
    var outbox = ClientOutbox()
    for id in Int64(1)...3 { #expect(outbox.enqueue(completed: runs(id)) == .queued) }
    #expect(outbox.enqueue(completed: runs(7)) == .queued)
    let again = event(.stateChanged)
    _ = outbox.enqueue(event: again)
    _ = outbox.enqueue(completed: runs(1))
    #expect(next(&outbox) == completed(1, 2, 3, 7))
    #expect(next(&outbox) == .notification(.event(again)))
    _ = outbox.enqueue(completed: runs(9))
    #expect(drain(&outbox) == [completed(1, 9)])
    // Sent ids are not sent again.
    _ = outbox.enqueue(completed: runs(10))
    #expect(drain(&outbox) == [completed(10)])
  }

  @Test func `a client that never reads ids is dropped`() {
    var outbox = ClientOutbox(limits: .init(eventByteCountMax: 1000))
    var id: Int64 = 0
    repeat {
      id += 2
      #expect(id < 1000)
    } while outbox.enqueue(completed: IDRuns([TransferID(rawValue: id)])) == .queued
    #expect(next(&outbox) == nil)
  }

  @Test func `progress of two transfers is not merged`() {
    var outbox = ClientOutbox()
    for step: Int64 in 1...3 {
      _ = outbox.enqueue(event: event(.progress, 1, at: step, written: 1, total: step))
      _ = outbox.enqueue(event: event(.progress, 2, at: step, written: 10, total: 10 * step))
    }
    #expect(
      drain(&outbox) == [
        .notification(.event(event(.progress, 1, at: 3, written: 3, total: 3))),
        .notification(.event(event(.progress, 2, at: 3, written: 30, total: 30))),
      ])
  }

  @Test func `progress does not overtake earlier events of its transfer`() {
    var outbox = ClientOutbox()
    _ = outbox.enqueue(event: event(.progress, at: 1, written: 1, total: 1))
    _ = outbox.enqueue(event: event(.stateChanged, at: 2))
    _ = outbox.enqueue(event: event(.progress, at: 3, written: 5, total: 6))
    _ = outbox.enqueue(event: event(.progress, at: 4, written: 1, total: 7))
    #expect(
      drain(&outbox) == [
        .notification(.event(event(.progress, at: 1, written: 1, total: 1))),
        .notification(.event(event(.stateChanged, at: 2))),
        .notification(.event(event(.progress, at: 4, written: 6, total: 7))),
      ])
  }

  @Test func `progress after sent progress starts from zero`() {
    var outbox = ClientOutbox()
    _ = outbox.enqueue(event: event(.progress, at: 1, written: 1, total: 1))
    #expect(next(&outbox) != nil)
    _ = outbox.enqueue(event: event(.progress, at: 2, written: 4, total: 5))
    #expect(
      drain(&outbox) == [.notification(.event(event(.progress, at: 2, written: 4, total: 5)))])
  }

  @Test func `summed bytes saturate at the maximum`() {
    var outbox = ClientOutbox()
    _ = outbox.enqueue(event: event(.progress, written: .max, total: .max))
    _ = outbox.enqueue(event: event(.progress, written: .max, total: .max))
    #expect(
      drain(&outbox) == [.notification(.event(event(.progress, written: .max, total: .max)))])
  }

  // Fault 118
  @Test func `one event too many overflows and discards everything`() {
    var outbox = ClientOutbox(limits: .init(eventCountMax: 3))
    for id: Int64 in 1...3 { #expect(outbox.enqueue(event: event(.added, id)) == .queued) }
    #expect(outbox.enqueue(event: event(.added, 4)) == .overflow)
    #expect(next(&outbox) == nil)
    #expect(outbox.isEmpty)
    #expect(outbox.enqueue(reply: [1]) == .overflow)
    #expect(outbox.enqueue(viewport: ProtocolSamples.window(first: 0)) == .overflow)
    #expect(next(&outbox) == nil)
  }

  @Test func `sent events do not count towards the limit`() {
    var outbox = ClientOutbox(limits: .init(eventCountMax: 3))
    for id: Int64 in 1...1000 {
      #expect(outbox.enqueue(event: event(.added, id)) == .queued)
      if id > 2 { #expect(next(&outbox) != nil) }
    }
  }

  // Fault 118
  @Test func `replies are kept, and no request is handled while too many are outstanding`() {
    var outbox = ClientOutbox(limits: .init(replyByteCountMax: 1000))
    let reply = [UInt8](repeating: 0, count: 600)
    #expect(outbox.hasRoomForReplies)
    for _ in 0..<3 { #expect(outbox.enqueue(reply: reply) == .queued) }
    #expect(!outbox.hasRoomForReplies)
    // Two are queued and one is being sent, then one is queued, then none.
    for hasRoom in [false, false, true, true] {
      _ = next(&outbox)
      #expect(outbox.hasRoomForReplies == hasRoom)
    }
    #expect(outbox.usedByteCount == 0)
  }

  // Fault 118
  @Test func `a client that falls behind receives one notice, and then later events`() {
    var outbox = ClientOutbox(limits: .init(eventCountMax: 3), lag: .resynchronises)
    _ = outbox.enqueue(reply: [1])
    for id: Int64 in 1...3 { #expect(outbox.enqueue(event: event(.added, id)) == .queued) }
    _ = outbox.enqueue(viewport: ProtocolSamples.window(first: 7))
    #expect(outbox.enqueue(event: event(.added, 4)) == .omitted)
    #expect(outbox.isBehind)
    for id: Int64 in 5...100 { #expect(outbox.enqueue(event: event(.added, id)) == .omitted) }
    #expect(outbox.enqueue(completed: IDRuns([TransferID(rawValue: 9)])) == .omitted)
    #expect(outbox.enqueue(reply: [2]) == .queued)
    #expect(next(&outbox) == .reply([1]))
    #expect(next(&outbox) == .notification(.viewport(ProtocolSamples.window(first: 7))))
    #expect(outbox.enqueue(event: event(.added, 101)) == .omitted)
    #expect(next(&outbox) == .notification(.resynchronise))
    #expect(!outbox.isBehind)
    let late = event(.added, 102)
    #expect(outbox.enqueue(event: late) == .queued)
    #expect(drain(&outbox) == [.reply([2]), .notification(.event(late))])
  }

  // Fault 118
  @Test func `a client that never reads stays within the limits`() {
    let limits = ClientOutbox.Limits(eventCountMax: 1000, eventByteCountMax: 100_000)
    var outbox = ClientOutbox(limits: limits, lag: .resynchronises)
    var largest = 0
    for id: Int64 in 0..<20_000 {
      _ = outbox.enqueue(event: event(id % 3 == 0 ? .progress : .stateChanged, id % 700))
      largest = max(largest, outbox.usedByteCount)
    }
    #expect(largest <= limits.eventByteCountMax)
    #expect(outbox.usedByteCount == 0)
    #expect(drain(&outbox) == [.notification(.resynchronise)])
  }

  @Test func `events are omitted before the client is dropped`() {
    var outbox = ClientOutbox(lag: .resynchronises)
    _ = outbox.enqueue(event: event(.added))
    #expect(outbox.droppableByteCount > 0)
    #expect(outbox.omitEvents() == .omitted)
    #expect(outbox.droppableByteCount == 0)
    #expect(drain(&outbox) == [.notification(.resynchronise)])
    var other = ClientOutbox()
    _ = other.enqueue(event: event(.added))
    #expect(other.droppableByteCount == 0)
    #expect(other.omitEvents() == .overflow)
    #expect(other.isOverflowed)
  }

  @Test func `a window counts until the client has read it`() {
    var outbox = ClientOutbox()
    _ = outbox.enqueue(viewport: ProtocolSamples.window(first: 1))
    #expect(outbox.hasWindow)
    let waiting = outbox.usedByteCount
    _ = next(&outbox)
    // As an encoded line, and in the socket buffer.
    #expect(outbox.hasWindow && outbox.usedByteCount == 2 * waiting)
    #expect(next(&outbox) == nil)
    #expect(!outbox.hasWindow && outbox.usedByteCount == 0)
  }

  @Test func `items taken together count until the next ones are taken`() {
    var outbox = ClientOutbox()
    let events = (1...3).map { event(.added, $0) }
    for event in events { _ = outbox.enqueue(event: event) }
    let waiting = outbox.usedByteCount
    let two = outbox.next(byteCountMax: waiting / 3 + 1)
    #expect(two.map(Sent.init) == events.prefix(2).map { .notification(.event($0)) })
    // Two are being sent, as lines and in the buffer of the socket; one waits.
    #expect(outbox.usedByteCount == waiting / 3 * 5)
    #expect(outbox.next(byteCountMax: waiting).map(Sent.init) == [.notification(.event(events[2]))])
    #expect(outbox.next(byteCountMax: waiting).isEmpty)
    #expect(outbox.usedByteCount == 0)
  }

  @Test func `a large reply is taken alone`() {
    var outbox = ClientOutbox()
    let large = [UInt8](repeating: 0, count: 1000)
    for reply in [large, large, [1]] { _ = outbox.enqueue(reply: reply) }
    #expect(outbox.next(byteCountMax: 1000).map(Sent.init) == [.reply(large)])
    #expect(outbox.next(byteCountMax: 1001).map(Sent.init) == [.reply(large), .reply([1])])
  }

  @Test func `the notice of a gap and what follows it are taken together`() {
    var outbox = ClientOutbox(limits: .init(eventCountMax: 1), lag: .resynchronises)
    for id: Int64 in 1...3 { _ = outbox.enqueue(event: event(.added, id)) }
    _ = outbox.enqueue(reply: [1])
    #expect(
      outbox.next(byteCountMax: 100).map(Sent.init) == [.notification(.resynchronise), .reply([1])])
    #expect(!outbox.isBehind)
  }

  @Test func `long texts in events count`() {
    var outbox = ClientOutbox(limits: .init(eventByteCountMax: 100_000))
    var large = event(.added)
    large.snapshot.title = String(repeating: "t", count: 60_000)
    #expect(outbox.enqueue(event: large) == .queued)
    #expect(outbox.enqueue(event: large) == .overflow)
  }

  /// Compares with a plain list that applies the rules by searching through it.
  @Test func `the outbox agrees with a plain list for any order of operations`() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededGenerator(seed: seed)
    var outbox = ClientOutbox()
    var model: [Sent] = []
    for step: Int64 in 0..<20_000 {
      switch Int.random(in: 0..<10, using: &random) {
      case 0:
        _ = outbox.enqueue(reply: [UInt8(step % 256)])
        model.append(.reply([UInt8(step % 256)]))
      case 1:
        let window = ProtocolSamples.window(first: Int(step))
        _ = outbox.enqueue(viewport: window)
        Self.put(window, &model)
      case 2...5:
        let kind: TransferEvent.Kind = Bool.random(using: &random) ? .progress : .stateChanged
        let id = Int64.random(in: 1...4, using: &random)
        let new = event(kind, id, at: step, written: kind == .progress ? 1 : nil)
        _ = outbox.enqueue(event: new)
        Self.put(new, &model)
      default:
        let expected = model.isEmpty ? nil : model.removeFirst()
        #expect(next(&outbox) == expected, "seed \(seed), step \(step)")
      }
    }
    #expect(drain(&outbox) == model, "seed \(seed)")
  }

  private static func put(_ window: RowWindow, _ model: inout [Sent]) {
    let index = model.firstIndex {
      if case .notification(.viewport) = $0 { true } else { false }
    }
    if let index {
      model[index] = .notification(.viewport(window))
    } else {
      model.append(.notification(.viewport(window)))
    }
  }

  private static func put(_ event: TransferEvent, _ model: inout [Sent]) {
    let index = model.lastIndex {
      if case .notification(.event(let other)) = $0 { other.id == event.id } else { false }
    }
    if event.kind == .progress, let index, case .notification(.event(let other)) = model[index],
      other.kind == .progress
    {
      var joined = event
      joined.bytesWritten = (other.bytesWritten ?? 0) + (event.bytesWritten ?? 0)
      model[index] = .notification(.event(joined))
    } else {
      model.append(.notification(.event(event)))
    }
  }
}

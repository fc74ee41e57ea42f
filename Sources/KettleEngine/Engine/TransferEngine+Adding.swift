import Dispatch
import KettleModel
import KettleScheduler

/// New transfers. A long list takes several turns of the engine, so that others are answered in
/// between, and one commit.
extension TransferEngine {
  /// How many transfers are added in one turn.
  static let addedInTurnCountMax = 500

  /// Adds transfers, all or none. When it returns, they are in the store.
  ///
  /// - Parameter decided: called when they have their positions and are on their way to the store.
  ///   Transfers added from then on come after them.
  package func add(
    _ specs: [TransferSpec], whenDecided decided: @Sendable () -> Void = {}
  ) async throws(EngineError) -> [TransferID] {
    await deciding.enter()?.value()
    let (ids, pages) = await decide(specs)
    let kept = Completion<Result<Void, any Error>>()
    submit(pages.flatMap(\.changes), .reportFailure) { kept.finish($0) }
    decided()
    // Reserved now, because the tasks may continue in another order than that of their commits.
    let admission = admitting.enter()
    deciding.leave()
    let outcome = await kept.value()
    await admission?.value()
    defer { admitting.leave() }
    if case .failure(let error) = outcome {
      for page in pages { scheduler.withdraw(page.changes) }
      throw .cannotKeep("\(error)")
    }
    for (number, page) in pages.enumerated() {
      if number > 0 { await turn() }
      announceRemoved(page.removed)
      admit(page.changes)
    }
    return ids
  }

  /// Makes the records. The ids of one list are consecutive.
  private func decide(
    _ specs: [TransferSpec]
  ) async -> (ids: [TransferID], pages: [SchedulerOutput]) {
    var ids: [TransferID] = []
    var pages: [SchedulerOutput] = []
    var rest = specs[...]
    repeat {
      if !pages.isEmpty { await turn() }
      let page = Array(rest.prefix(Self.addedInTurnCountMax))
      rest = rest.dropFirst(page.count)
      let (added, output) = scheduler.add(scheduler.completed(page), at: clock.now())
      ids += added
      pages.append(output)
    } while !rest.isEmpty
    return (ids, pages)
  }

  private func admit(_ changes: [JournalChange]) {
    let now = clock.now()
    let (evicted, output) = scheduler.admit(changes, at: now)
    if !evicted.isEmpty { evictionCount += 1 }
    announceAdded(changes, evicted[...])
    run(output, at: now)
    evict()
  }

  /// Notifies the observer of new transfers as the store has them; those that run are reported
  /// next. Nearly all transfers of a long list are dormant, and are reported in batches.
  ///
  /// - Parameter evicted: the new transfers that only the store has, in the same order.
  private func announceAdded(_ changes: [JournalChange], _ evicted: ArraySlice<TransferID>) {
    var evicted = evicted
    var listedFrom = changes.startIndex
    for (index, change) in changes.enumerated() {
      guard case .put(let record) = change else { continue }
      if evicted.first == record.id {
        evicted.removeFirst()
        continue
      }
      tell(listed: changes[listedFrom..<index])
      listedFrom = index + 1
      observer(.added(rows.row(of: record)))
    }
    tell(listed: changes[listedFrom...])
  }

  private func tell(listed changes: ArraySlice<JournalChange>) {
    let listed = ListedTransfers(changes, rows)
    if !listed.isEmpty { observer(.listed(listed)) }
  }
}

/// A part of the engine's work that takes several turns, and that one list passes after the other.
struct Passage {
  private enum State {
    case free
    case taken(waiting: [Completion<Void>])
  }

  private var state = State.free

  /// Takes the passage. Returns what to wait for when others are before; nil if it is free.
  mutating func enter() -> Completion<Void>? {
    switch state {
    case .free:
      state = .taken(waiting: [])
      return nil
    case .taken(let waiting):
      let turn = Completion<Void>()
      state = .taken(waiting: waiting + [turn])
      return turn
    }
  }

  /// Lets the next one in.
  mutating func leave() {
    guard case .taken(let waiting) = state, let next = waiting.first else {
      state = .free
      return
    }
    state = .taken(waiting: Array(waiting.dropFirst()))
    next.finish()
  }
}

import KettleControl
import KettleSystem
import KettleEngine
import KettleModel

/// How the order of a view comes about.
extension RowList {
  /// So many rows are looked at, or so many notes taken over, while the lock is held.
  private static let stepCount = 256

  /// Waits until the view has an order, which somebody who looks at it has asked for; false is that
  /// nobody looks at it any more.
  func hasOrder(_ view: RowView) async throws(ControlError) -> Bool {
    let ticket = state.withLock { $0.waiters.ticket() }
    let outcome = await withTaskCancellationHandler {
      await withCheckedContinuation { waiter in
        let known: OrderWaiters.Outcome? = updateState { state in
          // One that was wanted before may have failed by now, so it is wanted again.
          guard let used = state.table.use(view), !Task.isCancelled else { return .abandoned }
          if used != nil { return .made }
          state.waiters.add(waiter, ticket, for: view)
          return nil
        }
        if let known { waiter.resume(returning: known) }
      }
    } onCancel: {
      let waiter = state.withLock { $0.waiters.take(ticket, of: view) }
      waiter?.resume(returning: .abandoned)
    }
    switch outcome {
    case .made: return true
    case .abandoned: return false
    case .failed(let error): throw error
    }
  }

  /// Makes the order of a view that is wanted. What is told meanwhile is noted and taken over.
  func makeOrder(of view: RowView) {
    guard let source = update({ $0.beginOrder(view) }) else { return }
    do {
      var index =
        switch source {
        case .store(let awake, let maker): try askForOrder(of: view, awake, maker)
        case .order(let order): RowIndex(freezing: order, view.sort)
        }
      while !update({ $0.install(index, view, noteCountMax: Self.stepCount) }) {
        guard let notes = update({ $0.notes(on: view) }) else { return remake(view) }
        for note in notes { index.follow(note) }
      }
      finish(view, .made)
    } catch {
      update { $0.giveUpOrder(view) }
      finish(view, .failed(Self.problem(error, logger)))
    }
  }

  private func askForOrder(
    of view: RowView, _ awake: [TransferID], _ maker: RowMaker
  ) throws -> RowIndex {
    var told: [RowIndex.Change] = []
    for start in stride(from: 0, to: awake.count, by: Self.stepCount) {
      let part = awake[start..<min(start + Self.stepCount, awake.count)]
      told += update { $0.keys(of: part, in: view) }
    }
    let stored = try archive.order(view.filter, view.sort, rows: maker)
    // What is told from here on is not in the answer, and what was told before is noted.
    let (notes, removed) = update { ($0.notes(on: view) ?? [], $0.removed) }
    return RowIndex(FrozenOrder(stored, view.sort), told: told + notes, removed: removed)
  }

  /// What was asked for is wanted no more, or otherwise.
  private func remake(_ view: RowView) {
    update { table in
      table.giveUpOrder(view)
      _ = table.use(view)
    }
  }

  private func finish(_ view: RowView, _ outcome: OrderWaiters.Outcome) {
    let waiters = state.withLock { $0.waiters.take(view) }
    for waiter in waiters { waiter.resume(returning: outcome) }
  }
}

import KettleControl
import KettleEngine
import KettleModel
import KettleSystem

/// How the order of a view is made.
extension RowList {
  /// The number of rows examined, or notes applied, while the lock is held.
  private static let stepCount = 256

  /// Waits until the view has an order, which a client displaying it has requested. Returns false
  /// if no client displays it any more.
  func hasOrder(_ view: RowView) async throws(ControlError) -> Bool {
    let ticket = state.withLock { $0.waiters.ticket() }
    let outcome = await withTaskCancellationHandler {
      await withCheckedContinuation { waiter in
        let known: OrderWaiters.Outcome? = updateState { state in
          // An order requested earlier may have failed by now, so it is requested again.
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

  /// Makes a requested order of a view. Changes that arrive meanwhile are noted and applied.
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
    // Later events are not in the result, and earlier ones are noted.
    let (notes, removed) = update { ($0.notes(on: view) ?? [], $0.removed) }
    return RowIndex(OrderSnapshot(stored, view.sort), told: told + notes, removed: removed)
  }

  /// Requests the order again if it is still needed: the previous request is obsolete.
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

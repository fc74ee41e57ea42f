import KettleControl
import KettleEngine
import KettleModel
import KettleSystem

/// The making of orders.
extension RowList {
  /// The number of rows examined, or recorded changes applied, while the lock is held.
  private static let stepCount = 256

  /// Waits until the view has an order, which a client displaying it has requested. Returns false
  /// if no client displays it any more.
  func waitForOrder(of view: RowView) async throws(ControlError) -> Bool {
    let ticket = state.withLock { $0.waiters.makeTicket() }
    let outcome = await withTaskCancellationHandler {
      await withCheckedContinuation { waiter in
        let known: OrderWaiters.Outcome? = updateState { state in
          // An order requested earlier may have failed by now, so it is requested again.
          guard let used = state.table.use(view), !Task.isCancelled else { return .abandoned }
          if used != nil { return .made }
          state.waiters.add(waiter, ticket: ticket, for: view)
          return nil
        }
        if let known { waiter.resume(returning: known) }
      }
    } onCancel: {
      let waiter = state.withLock { $0.waiters.remove(ticket: ticket, of: view) }
      waiter?.resume(returning: .abandoned)
    }
    switch outcome {
    case .made: return true
    case .abandoned: return false
    case .failed(let error): throw error
    }
  }

  /// Makes a requested order of a view. Changes that arrive meanwhile are recorded and applied.
  func makeOrder(of view: RowView) {
    guard let source = update({ $0.beginOrder(of: view) }) else { return }
    do {
      var index =
        switch source {
        case .store(let awake, let maker): try readOrder(of: view, awake: awake, maker)
        case .order(let order): RowIndex(compacting: order)
        }
      while !update({ $0.install(index, as: view, changeCountMax: Self.stepCount) }) {
        guard let changes = update({ $0.takeRecordedChanges(of: view) }) else {
          return requestAgain(view)
        }
        for change in changes { index.apply(change) }
      }
      finish(view, .made)
    } catch {
      update { $0.abandonOrder(of: view) }
      finish(view, .failed(Self.readFailure(error, logger)))
    }
  }

  /// Reads the order from the store, and adds what the store may lack.
  private func readOrder(
    of view: RowView, awake: [TransferID], _ maker: RowMaker
  ) throws -> RowIndex {
    var changes: [RowIndex.Change] = []
    for start in stride(from: 0, to: awake.count, by: Self.stepCount) {
      let part = awake[start..<min(start + Self.stepCount, awake.count)]
      changes += update { $0.keys(of: part, in: view) }
    }
    let stored = try archive.order(view.filter, view.sort, rows: maker)
    // Later events are not in the result, and earlier ones are recorded.
    let (recorded, removed) = update { ($0.takeRecordedChanges(of: view) ?? [], $0.removed) }
    return RowIndex(OrderSnapshot(stored), changes: changes + recorded, removed: removed)
  }

  /// Requests the order again if it is still needed: the previous request is obsolete.
  private func requestAgain(_ view: RowView) {
    update { table in
      table.abandonOrder(of: view)
      _ = table.use(view)
    }
  }

  private func finish(_ view: RowView, _ outcome: OrderWaiters.Outcome) {
    let waiters = state.withLock { $0.waiters.removeAll(of: view) }
    for waiter in waiters { waiter.resume(returning: outcome) }
  }
}

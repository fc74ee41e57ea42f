import KettleControl
import KettleEngine
import KettleModel
import KettleSystem
import Logging

/// The list as clients display it: awake rows from memory, dormant rows from the store.
///
/// Callers that report changes never wait: the store is read and long orders are made on other
/// threads, and the lock is held only to apply the result.
final class RowList: Sendable {
  struct State: Sendable {
    var table: RowTable
    var waiters = OrderWaiters()
  }

  let state: Mutex<State>
  let archive: any TransferArchive
  let logger: Logger
  /// One order at a time: a user who types a filter abandons most orders before they start.
  let orders = WorkerPool("kettle.rows.orders", width: 1)
  let reads = WorkerPool("kettle.rows.reads", width: 2)

  init(
    _ archive: any TransferArchive, rows: RowMaker, driftMax: Int = RowIndex.driftMax,
    logger: Logger
  ) {
    self.archive = archive
    self.logger = logger
    state = Mutex(State(table: RowTable(rows, driftMax: driftMax)))
  }

  /// Updates the table, and schedules the orders that it then requests.
  func update<Result: Sendable>(_ body: (inout RowTable) -> Result) -> Result {
    updateState { body(&$0.table) }
  }

  func updateState<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
    let (result, requested) = state.withLock { state in
      (body(&state), state.table.takeRequestedOrders())
    }
    for view in requested { orders.async { self.makeOrder(of: view) } }
    return result
  }

  /// A client switches from one view to another; nil means none.
  func switchSubscription(from old: RowView?, to new: RowView?) {
    let abandoned = state.withLock { state in
      state.table.switchSubscription(from: old, to: new)
        ? old.map { state.waiters.removeAll(of: $0) } : nil
    }
    for waiter in abandoned ?? [] { waiter.resume(returning: .abandoned) }
  }

  /// Reads from the store on a thread that may block.
  func read<Value: Sendable>(
    _ body: @escaping @Sendable (any TransferArchive) throws -> Value
  ) async throws(ControlError) -> Value {
    let result: Result<Value, ControlError> = await withCheckedContinuation { done in
      reads.async { [archive, logger] in
        do {
          done.resume(returning: .success(try body(archive)))
        } catch {
          done.resume(returning: .failure(Self.readFailure(error, logger)))
        }
      }
    }
    return try result.get()
  }

  static func readFailure(_ error: any Error, _ logger: Logger) -> ControlError {
    logger.error("The store cannot be read", metadata: ["error": "\(error)"])
    return ControlError(.internalError, "\(error)")
  }
}

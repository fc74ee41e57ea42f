import KettleModel

/// The transfers whose latest hook failed.
struct HookFailures: Sendable {
  private var sentences: [TransferID: String] = [:]
  /// Those that finished transfers in view have: a clear of the view removes them.
  private var inView: Set<TransferID> = []

  /// nil for none.
  var count: Int? { inView.isEmpty ? nil : inView.count }

  /// How the latest hook of a transfer failed.
  subscript(_ id: TransferID) -> String? { sentences[id] }

  /// Records a run that has ended.
  mutating func record(_ run: HookRun) {
    guard let id = run.transfer, let end = run.end else { return }
    sentences[id] = end.outcome.isSuccess ? nil : run.happened
    if end.outcome.isSuccess { inView.remove(id) } else { inView.insert(id) }
  }

  /// The transfer is gone, or begins again.
  mutating func forget(_ id: TransferID) {
    sentences[id] = nil
    inView.remove(id)
  }

  /// The finished transfers are cleared from view.
  mutating func clear() { inView = [] }
}

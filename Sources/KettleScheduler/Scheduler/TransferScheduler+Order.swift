import KettleModel

/// The order of the list, which the queue follows, and which transfers were cleared from view.
extension TransferScheduler {
  package enum Move: Sendable, Hashable, CaseIterable {
    /// Past the nearest transfer that is neither running nor finished; those at the end stay.
    case up, down
    case toTop, toBottom
  }

  /// Moves transfers, whatever their state; they keep their order among each other. Writes only the
  /// moved transfers and those that make room.
  ///
  /// The moved transfers and their neighbours in that direction must be in memory.
  package mutating func move(
    _ moving: [TransferID], _ move: Move, at now: Moment
  ) -> ([ControlResult], SchedulerOutput) {
    var output = SchedulerOutput()
    let known = Set(moving).compactMap { machines[$0].map { QueuePosition($0) } }
    let positions = order.move(known, move) { [machines] id in
      machines[id].map { RowGroup($0.visibleState, nil) == .next } ?? false
    }
    apply(positions, into: &output)
    fillSlots(&output, at: now)
    return (moving.map { machines[$0] == nil ? .unknown : .applied }, output)
  }

  /// Gives transfers each other's positions, so that they follow one another in this order. They
  /// must be in memory; others are left out.
  package mutating func arrange(_ ids: [TransferID], at now: Moment) -> SchedulerOutput {
    var output = SchedulerOutput()
    apply(order.arrange(ids.compactMap { machines[$0].map { QueuePosition($0) } }), into: &output)
    fillSlots(&output, at: now)
    return output
  }

  private mutating func apply(_ positions: [TransferID: Int64], into output: inout SchedulerOutput)
  {
    for (id, position) in positions.sorted(by: { $0.key < $1.key }) {
      update(id, into: &output) {
        $0.move(to: position)
        return .none
      }
    }
  }

  /// Changes the limits for all transfers together. Running ones go on.
  package mutating func setLimits(
    _ limits: TransferQueue.Limits, at now: Moment
  ) -> SchedulerOutput {
    var output = SchedulerOutput()
    queue.limits = limits
    fillSlots(&output, at: now)
    return output
  }

  // MARK: Cleared from view

  package func isCleared(_ record: TransferRecord) -> Bool { finished.isCleared(record) }

  /// Clears all completed transfers from view.
  ///
  /// - Returns: how many were in view.
  package mutating func clearFinished(at now: Moment) -> (count: Int, SchedulerOutput) {
    var output = SchedulerOutput()
    let loadedCount = machines.values.count {
      $0.visibleState == .completed && !isCleared($0.record)
    }
    let count = loadedCount + evicted.completedInViewCount
    if count > 0 {
      var action = bin.open(.clear, at: now.wall)
      action.clearedBefore = finished.clearedUpTo
      if let change = bin.note(action) { output.changes.append(change) }
      output.changes.append(finished.clear())
      evicted.clearCompleted()
    }
    return (count, output)
  }
}

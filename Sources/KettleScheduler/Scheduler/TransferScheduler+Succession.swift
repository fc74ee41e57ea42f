import KettleModel

extension TransferScheduler {
  /// Moves the durable bytes of a transfer that stopped for good to a new one of the same URL and
  /// directory, in one commit. Both must be in memory.
  ///
  /// - Returns: what to record; nil if the transfers are not such a pair.
  package mutating func handOver(
    from old: TransferID, to heir: TransferID
  ) -> SchedulerOutput? {
    guard let giver = machines[old], let taker = machines[heir], giver.canSurrenderBytes,
      taker.canInheritBytes, giver.spec.url == taker.spec.url,
      giver.spec.directory == taker.spec.directory,
      taker.spec.name == nil || taker.spec.name?.text == giver.facts.resumeData?.finalName
    else { return nil }
    var output = SchedulerOutput()
    var bytes: ResumeData?
    update(old, into: &output) {
      bytes = $0.surrenderBytes()
      return .none
    }
    update(heir, into: &output) {
      if let bytes { $0.inherit(bytes) }
      return .none
    }
    return output
  }
}

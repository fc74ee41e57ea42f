import KettleModel
import KettleScheduler

/// Measures hosts and transfers, for estimates and for what slows a transfer down.
extension TransferEngine {
  /// Records the bytes that a transfer has received since the last call.
  func measureBytes(of id: TransferID) {
    guard let writer = bodies[id]?.writer, let origin = scheduler.machines[id]?.spec.url.origin
    else { return }
    let newByteCount = live[id, default: begun(id)]
      .newBytes(receivedByteCount: writer.receivedByteCount)
    measurements.recordBytes(newByteCount, from: origin)
  }

  /// Records how fast the parts of the file arrive.
  func noteArrivals(of id: TransferID) {
    guard let machine = scheduler.machines[id], let download = machine.download else { return }
    live[id]?.noteArrivals(
      connections(of: id, download), total: machine.resumeData?.totalByteCount)
  }

  /// Returns how fast the parts of the file arrived; nil if nothing has, or the size is unknown.
  func ridge(of id: TransferID, _ row: TransferSnapshot) -> Ridge? {
    guard let machine = scheduler.machines[id], let total = row.bytesExpected else { return nil }
    let speeds = live[id]?.arrivalSpeeds ?? ArrivalSpeeds()
    var arrived = machine.resumeData?.durable ?? ByteRangeSet()
    switch machine.visibleState {
    case .completed: arrived = ByteRangeSet(prefix: total)
    case .running:
      for connection in connections(of: id, machine.download) {
        guard let lower = connection.range?.lower,
          let range = ByteRange(lower: lower, upper: connection.receivedUpTo)
        else { continue }
        arrived.insert(range)
      }
    case .idle, .scheduled, .queued, .waiting, .paused, .verifying, .failed: break
    }
    return speeds.ridge(arrived, total: total)
  }

  /// Records a file that is complete.
  func measure(_ file: FinishedFile, of id: TransferID) {
    guard let byteCount = file.identity?.byteCount, let spec = scheduler.machines[id]?.spec else {
      return
    }
    measurements.recordFile(byteCount: byteCount, from: spec.url.origin, session: spec.session)
  }

  /// Judges the speeds once a second.
  func judgeSpeeds(at now: Moment) {
    guard judgement.isDue(at: now.monotonic) else { return }
    var samples: [RunningSample] = []
    for id in scheduler.queue.running {
      guard let machine = scheduler.machines[id], machine.visibleState == .running,
        let known = live[id]
      else { continue }
      samples.append(
        RunningSample(
          id: id, origin: machine.spec.url.origin, bytesPerSecond: known.speed.bytesPerSecond,
          bytesPerSecondMax: machine.spec.limitBytesPerSecond, diskShare: known.diskShare,
          milliseconds: known.receivingSince.map { now.monotonic.milliseconds(since: $0) } ?? 0))
    }
    measurements.sample(Set(samples.map(\.origin)), at: now.monotonic)
    judgement.sample(samples, totalMax: scheduler.limitBytesPerSecond, at: now.monotonic)
  }

  /// Forgets speeds that were measured under another limit.
  func forgetSpeeds() {
    measurements.forgetSpeeds()
    judgement = SpeedJudgement()
  }
}

extension LiveTransfer {
  /// Returns how many bytes are new, given the number of all bytes of the open file.
  fileprivate mutating func newBytes(receivedByteCount: Int64) -> Int64 {
    // Fewer than before are those of another file.
    let before = measuredByteCount <= receivedByteCount ? measuredByteCount : 0
    measuredByteCount = receivedByteCount
    return receivedByteCount - before
  }

  /// Records whether connections wait for the disk at this tick.
  mutating func noteTick(waitsForDisk: Bool, at now: MonotonicTime) {
    receivingSince = receivingSince ?? now
    diskShare += ((waitsForDisk ? 1 : 0) - diskShare) / 10
  }

  /// Forgets what was measured of an attempt that is over.
  mutating func forgetSpeed() {
    speed = SpeedEstimator()
    receivingSince = nil
    diskShare = 0
  }
}

import KettleModel
import KettleScheduler
import KettleSystem
import Logging

extension TransferEngine {
  /// The time by which comparisons go.
  package nonisolated var now: WallTime { clock.now().wall }

  /// Compares finished files with what is known of their bytes, and repairs the damaged ones.
  /// Returns how far each one is; a client asks again until all have ended.
  ///
  /// - Parameters:
  ///   - since: a file that was compared at this time or later is not compared again.
  ///   - repairsSince: a repair that has failed or was stopped is begun again, unless it was begun
  ///     at this time or later.
  package func verify(
    _ ids: [TransferID], since: WallTime, repairsSince: WallTime,
    _ consequence: VerificationConsequence
  ) async -> [VerificationProgress] {
    await kept()
    let records = await storedRecords(ids)
    var progress: [VerificationProgress] = []
    for id in ids {
      let record = scheduler.machines[id]?.record ?? records[id]
      let repair = await repair(of: record)
      progress.append(
        await verify(id, as: record, since: since, consequence) { check in
          repair.flatMap { $0.repairProgress(of: check, since: repairsSince) }
        })
    }
    return progress
  }

  /// The transfer that repairs the file of another; nil if there is none.
  private func repair(of record: TransferRecord?) async -> TransferRecord? {
    guard let id = record?.finishedFile?.check?.repair else { return nil }
    if let machine = scheduler.machines[id] { return machine.record }
    return await storedRecords([id])[id]
  }

  private func storedRecords(_ ids: [TransferID]) async -> [TransferID: TransferRecord] {
    guard !ids.isEmpty else { return [:] }
    let records = (try? await store.read { archive in try archive.records(ids) }) ?? []
    return Dictionary(records.map { ($0.id, $0) }) { first, _ in first }
  }

  private func verify(
    _ id: TransferID, as record: TransferRecord?, since: WallTime,
    _ consequence: VerificationConsequence,
    repairProgress: (FileCheck) -> VerificationProgress?
  ) async -> VerificationProgress {
    if let progress = verifications.progress(of: id) { return progress }
    guard let record, record.state == .completed, record.spec.task == nil,
      let file = record.finishedFile, file.byteCount != nil
    else { return .refused }
    if let check = file.check {
      if consequence != .report, let progress = repairProgress(check) { return progress }
      if check.at >= since {
        guard check.isRepairable(consequence) else { return .ended(check) }
        return await beginRepair(of: record, check)
      }
    }
    verifications.add(id)
    beginVerification()
    return .waiting
  }

  func beginVerification() {
    guard let job = verifications.begin() else { return }
    let verification = FileVerification(
      files: files.storage, objects: files.objects, archive: store.archive,
      now: clock.now().wall)
    Task(executorPreference: work.tasks) {
      await self.load([job.id])
      await self.compare(job, by: verification)
    }
  }

  private func compare(_ job: Verifications.Job, by verification: FileVerification) {
    live[job.id].checking = job.progress
    files.checks.async { [inbox] in
      if job.haste == .leisurely { IOPriority.idle.set() }
      defer { if job.haste == .leisurely { IOPriority.usual.set() } }
      let result = verification.run(job.id) { byteCount in
        // Clients see it move, but not every block.
        let last = job.progress.comparedByteCount ?? 0
        if last >> Self.shownByteCountBits != byteCount >> Self.shownByteCountBits {
          _ = inbox.put(.advanced(job.id))
        }
        return job.progress.advance(to: byteCount)
      }
      _ = inbox.put(.fileVerified(job.id, result))
    }
  }

  /// Progress is shown each 256 MiB.
  private static let shownByteCountBits: Int64 = 28

  /// Records the result of a comparison, nil for none, and begins the next one.
  func fileVerified(_ result: FileVerification.Result?, of id: TransferID) {
    Task(executorPreference: work.tasks) { await self.endVerification(of: id, with: result) }
  }

  func record(_ result: FileVerification.Result, of id: TransferID) async {
    await withoutEviction {
      await load([id])
      // It may have been removed, or started again, meanwhile.
      guard let machine = scheduler.machines[id], machine.visibleState == .completed,
        machine.record.finishedFile?.identity == result.file
      else { return }
      let now = clock.now()
      var output = decide { $0.recordCheck(result.check, of: id) }
      verifications.noteRecorded(id)
      if !result.digests.isEmpty {
        output.changes += [.forgetDigests(id), .digests(id, result.digests)]
      }
      await runDurably(output, at: now).value()
    }
    if result.check.isBad {
      logger.warning(
        "A finished file is not what it was",
        metadata: ["transfer": "\(id.rawValue)", "finding": "\(result.check.finding.rawValue)"])
    }
  }

  private func endVerification(of id: TransferID, with result: FileVerification.Result?) async {
    if let result { await record(result, of: id) }
    live[id].checking = nil
    announceChange(of: id)
    verifications.end()
    beginVerification()
  }
}

/// Scheduled comparisons (`verify.every`).
extension TransferEngine {
  /// How many records are read for one call of `verifyDue`.
  private static let dueReadCountMax = 500
  /// How many comparisons one call queues.
  private static let dueCountMax = 50

  /// Compares finished files that were not compared for long, if nothing is being downloaded.
  ///
  /// - Returns: whether there is anything to do ever.
  package func verifyDue() async -> Bool {
    guard let every = configuration.verifiesEveryMilliseconds else { return false }
    guard !scheduler.hasRunning, verifications.current == nil else { return true }
    let start = verifications.lastDue
    let records =
      (try? await store.read { archive in
        try archive.dormant(in: [.completed], after: start, countMax: Self.dueReadCountMax)
      }) ?? []
    verifications.lastDue = records.last?.id
    let before = now.advanced(byMilliseconds: -every)
    let due = records.filter { record in
      guard let file = record.finishedFile, file.identity != nil else { return false }
      return (file.check?.at ?? record.finishedAt ?? now) < before
    }
    for record in due.prefix(Self.dueCountMax) { verifications.add(record.id, .leisurely) }
    // The next call begins behind those that fit in.
    if due.count > Self.dueCountMax { verifications.lastDue = due[Self.dueCountMax - 1].id }
    beginVerification()
    return true
  }
}

extension FileCheck {
  fileprivate func isRepairable(_ consequence: VerificationConsequence) -> Bool {
    guard damaged?.isEmpty == false else { return false }
    switch (finding, consequence) {
    case (.damaged, .repair), (.damaged, .repairEvenIfEdited), (.edited, .repairEvenIfEdited):
      return true
    case (.damaged, .report), (.edited, .report), (.edited, .repair), (.intact, _),
      (.missing, _), (.unproved, _), (.unreadable, _):
      return false
    }
  }
}

extension TransferRecord {
  /// How far this repair of a damaged file is; nil if it is to be begun again.
  fileprivate func repairProgress(
    of check: FileCheck, since: WallTime
  ) -> VerificationProgress? {
    switch state {
    case .failed:
      guard let failure, createdAt >= since else { return nil }
      return .unrepaired(check, failure)
    case .idle: return createdAt >= since ? .ended(check) : nil
    case .queued, .scheduled, .running, .waiting, .verifying, .paused, .completed:
      return .repairing(by: id)
    }
  }
}

import KettleModel
import KettleScheduler
import KettleSystem
import Logging

/// The comparison of a finished file with what is known of its bytes. Blocks.
struct FileVerification: Sendable {
  let files: any FileStorage
  let archive: any TransferArchive
  let now: WallTime

  struct End: Sendable {
    /// nil if there is nothing to compare: the transfer is gone, or its file was never Kettle's.
    var check: FileCheck?
    /// The digests of a file that had none.
    var digests: [DigestedBytes] = []
  }

  func run(_ id: TransferID, advance: @Sendable (Int64) -> Bool) -> End {
    guard let record = try? archive.records([id]).first, let file = record.finishedFile,
      let identity = file.identity
    else { return End() }
    do throws(TransferFailure) {
      let standing = files.standing(of: file)
      if standing == .missing { return End(check: FileCheck(.missing, at: now)) }
      let known = (try? archive.digests(of: id)) ?? BlockDigests()
      guard known.bytes == ByteRangeSet(prefix: identity.byteCount) else {
        return try withoutDigests(record, of: file, standing, advance: advance)
      }
      let comparison = try files.compare(fileAt: file.path, with: known.entries, advance: advance)
      return End(check: check(comparison, of: identity, blockCount: known.entries.count, standing))
    } catch {
      if error.code == .cancelled { return End() }
      return End(check: FileCheck(.unreadable, at: now, detail: error.detail))
    }
  }

  private func check(
    _ comparison: FileComparison, of identity: FileIdentity, blockCount: Int,
    _ standing: FinishedFileStanding
  ) -> FileCheck {
    var damaged = ByteRangeSet()
    for range in comparison.differing { damaged.insert(range) }
    let isLonger = comparison.byteCount > identity.byteCount
    if damaged.isEmpty, !isLonger { return FileCheck(.intact, at: now) }
    // Bit rot damages a few blocks and keeps the modification time. An editor usually rewrites
    // most of the file.
    let isEdited = standing == .changed && (isLonger || comparison.differing.count * 2 > blockCount)
    let isTruncated = comparison.byteCount < identity.byteCount
    return FileCheck(
      isEdited && !isTruncated ? .edited : .damaged, at: now, damaged: damaged,
      detail: isTruncated || isLonger
        ? "it has \(comparison.byteCount) bytes in place of \(identity.byteCount)" : nil)
  }

  /// Compares the checksum of a file without digests, if there is one. A file that is as it was
  /// finished gets digests.
  private func withoutDigests(
    _ record: TransferRecord, of file: FinishedFile, _ standing: FinishedFileStanding,
    advance: @Sendable (Int64) -> Bool
  ) throws(TransferFailure) -> End {
    if let checksum = record.spec.checksum {
      let found = try files.digest(ofFileAt: file.path, algorithm: checksum.algorithm)
      guard found == checksum.hex else {
        return End(
          check: FileCheck(
            .damaged, at: now, detail: "its checksum is \(found), expected \(checksum.text)"))
      }
    } else if standing == .changed {
      return End(check: FileCheck(.edited, at: now))
    }
    let digests = try files.digests(ofFileAt: file.path, advance: advance)
    return End(
      check: FileCheck(record.spec.checksum == nil ? .unproved : .intact, at: now),
      digests: digests)
  }
}

/// The finished files that are to be compared, one after the other, and their repairs.
struct Verifications: Sendable {
  enum Haste: Sendable {
    /// A client waits for the result.
    case prompt
    /// Runs with idle I/O priority.
    case leisurely
  }

  struct Job: Sendable {
    let id: TransferID
    let haste: Haste
    let progress: LiveUnpacking
  }

  private(set) var current: Job?
  /// The files before `first` are done.
  private var waiting: [(id: TransferID, haste: Haste)] = []
  private var first = 0
  private var isWaiting: Set<TransferID> = []
  /// The last file that was looked at by `verifyDue`; nil to begin with the first one.
  var lastDue: TransferID?
  /// The repairs of files, until they are compared again.
  var repairs: [TransferID: TransferID] = [:]
  private var lastOperation: UInt64 = 0

  /// Returns how far the comparison of a file is; nil if none is wanted.
  func progress(of id: TransferID) -> VerificationProgress? {
    if current?.id == id {
      return .comparing(byteCount: current?.progress.comparedByteCount ?? 0)
    }
    return isWaiting.contains(id) ? .waiting : nil
  }

  mutating func add(_ id: TransferID, _ haste: Haste = .prompt) {
    guard current?.id != id, isWaiting.insert(id).inserted else { return }
    waiting.append((id, haste))
  }

  /// Begins the next comparison if none is in progress, and returns it.
  mutating func begin() -> Job? {
    guard current == nil, first < waiting.count else { return nil }
    lastOperation += 1
    let next = waiting[first]
    let job = Job(
      id: next.id, haste: next.haste,
      progress: LiveUnpacking(OperationID(rawValue: lastOperation)))
    isWaiting.remove(job.id)
    first += 1
    if first == waiting.count { (waiting, first) = ([], 0) }
    current = job
    return job
  }

  mutating func end() { current = nil }
}

extension TransferEngine {
  /// The time by which comparisons go.
  package nonisolated var now: WallTime { clock.now().wall }

  /// Compares finished files with what is known of their bytes, and repairs those that are damaged.
  /// Returns how far each one is; a client asks again until all have ended.
  ///
  /// - Parameter since: a file that was compared at this time or later is not compared again.
  package func verify(
    _ ids: [TransferID], since: WallTime, _ consequence: VerificationConsequence
  ) async -> [VerificationProgress] {
    let records = await finishedRecords(ids)
    var progress: [VerificationProgress] = []
    for id in ids {
      progress.append(await verify(id, as: records[id], since: since, consequence))
    }
    return progress
  }

  private func finishedRecords(_ ids: [TransferID]) async -> [TransferID: TransferRecord] {
    await kept()
    let records = (try? await store.read { archive in try archive.records(ids) }) ?? []
    return Dictionary(records.map { ($0.id, $0) }) { first, _ in first }
  }

  private func verify(
    _ id: TransferID, as record: TransferRecord?, since: WallTime,
    _ consequence: VerificationConsequence
  ) async -> VerificationProgress {
    if let progress = verifications.progress(of: id) { return progress }
    if let repair = verifications.repairs[id], scheduler.machines[repair] != nil {
      return repairProgress(of: id, by: repair, record)
    }
    guard let record, record.state == .completed, record.spec.task == nil,
      let file = record.finishedFile, file.identity != nil
    else { return .refused }
    if let check = file.check, check.at >= since {
      guard check.isRepairable(consequence) else { return .ended(check) }
      return await beginRepair(of: record, check)
    }
    verifications.add(id)
    beginVerification()
    return .waiting
  }

  private func repairProgress(
    of id: TransferID, by repair: TransferID, _ record: TransferRecord?
  ) -> VerificationProgress {
    guard let machine = scheduler.machines[repair], machine.visibleState == .failed,
      let failure = machine.failure, let check = record?.finishedFile?.check
    else { return .repairing(by: repair) }
    return .unrepaired(check, failure)
  }

  private func beginVerification() {
    guard let job = verifications.begin() else { return }
    let verification = FileVerification(
      files: files.storage, archive: store.archive, now: clock.now().wall)
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
      let end = verification.run(job.id) { byteCount in
        // Clients see it move, but not every block.
        let last = job.progress.comparedByteCount ?? 0
        if last >> Self.shownByteCountBits != byteCount >> Self.shownByteCountBits {
          _ = inbox.put(.comparing(job.id))
        }
        return job.progress.advance(to: byteCount)
      }
      _ = inbox.put(.fileVerified(job.id, end))
    }
  }

  /// Progress is shown each 256 MiB.
  private static let shownByteCountBits: Int64 = 28

  /// Records the result of a comparison.
  func fileVerified(_ end: FileVerification.End, of id: TransferID) {
    Task(executorPreference: work.tasks) { await self.record(end, of: id) }
  }

  private func record(_ end: FileVerification.End, of id: TransferID) async {
    if let check = end.check {
      await withoutEviction {
        await load([id])
        let now = clock.now()
        var output = decide { $0.recordCheck(check, of: id) }
        if !end.digests.isEmpty {
          output.changes += [.forgetDigests(id), .digests(id, end.digests)]
        }
        await runDurably(output, at: now).value()
      }
      if check.isBad {
        logger.warning(
          "A finished file is not what it was",
          metadata: ["transfer": "\(id.rawValue)", "finding": "\(check.finding.rawValue)"])
      }
    }
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

/// Repairs: transfers that fetch the damaged bytes of a finished file.
extension TransferEngine {
  private func beginRepair(of record: TransferRecord, _ check: FileCheck) async
    -> VerificationProgress
  {
    guard let file = record.finishedFile, let identity = file.identity, let damaged = check.damaged,
      record.spec.request == nil,
      let target = RepairTarget(
        transfer: record.id, path: file.path, identity: identity, damaged: damaged)
    else { return .ended(check) }
    let spec = record.spec.repairing(target)
    do {
      guard let id = try await add([spec]).first else { return .ended(check) }
      verifications.repairs[record.id] = id
      let resumeData = try await scratch(of: target, for: id, entityTag: file.entityTag)
      await withoutEviction {
        await load([id])
        let now = clock.now()
        await runDurably(decide { $0.prepareRepair(id, with: resumeData) }, at: now).value()
      }
      _ = await control(.start, [id])
      return .repairing(by: id)
    } catch let failure as TransferFailure {
      return .unrepaired(check, failure)
    } catch {
      return .unrepaired(
        check, TransferFailure(.internalProblem, on: file.path, detail: "\(error)"))
    }
  }

  /// Creates the partial file that the damaged bytes flow into. It has holes where the file is
  /// sound.
  private func scratch(
    of target: RepairTarget, for id: TransferID, entityTag: String?
  ) async throws -> ResumeData {
    let result = await files.alone { storage -> Result<ResumeData, TransferFailure> in
      Result { () throws(TransferFailure) in
        let file = try storage.createPartialFile(
          in: target.directory,
          preferredName: storage.fitted(target.name + ".repair", in: target.directory),
          onConflict: .rename)
        try file.truncate(to: target.identity.byteCount)
        let modifiedNanoseconds = try file.sync()
        var resumeData = ResumeData(
          partialPath: file.path, device: file.device, inode: file.inode, durable: target.sound,
          totalByteCount: target.identity.byteCount,
          validator: entityTag.map {
            Validator(entityTag: $0, lastModified: nil, isLastModifiedStrong: false)
          }, finalName: file.finalName)
        storage.noteUnrecorded(resumeData.partialIdentity, of: id)
        resumeData.isProvedByDigests = true
        resumeData.lastWriteNanoseconds = modifiedNanoseconds
        return resumeData
      }
    }
    return try result.get()
  }

  /// Puts the fetched bytes into the finished file, and compares all of it afterwards.
  func patch(
    _ target: RepairTarget, with resumeData: ResumeData, of id: TransferID,
    as operation: OperationID
  ) {
    files.checks.async { [weak self, archive = store.archive, storage = files.storage] in
      let result = Result { () throws(TransferFailure) -> FinishedFile in
        let known = (try? archive.digests(of: target.transfer)) ?? BlockDigests()
        try storage.patch(target, from: resumeData, with: known.entries)
        storage.removePartialFile(resumeData.partialIdentity)
        return FinishedFile(path: target.path, identity: target.identity)
      }
      self?.post(.event(.file(id, .placed(result, by: operation))))
      if case .success = result { self?.post(.repaired(target.transfer)) }
    }
  }

  func repaired(_ id: TransferID) {
    verifications.repairs[id] = nil
    verifications.add(id)
    beginVerification()
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

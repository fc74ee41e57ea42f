import KettleModel
import KettleScheduler
import KettleSystem

/// Repairs: transfers that fetch the damaged bytes of a finished file. The `FileCheck` of the file
/// names its repair.
extension TransferEngine {
  /// Adds a transfer that fetches the damaged bytes, in place of an earlier one.
  func beginRepair(of record: TransferRecord, _ check: FileCheck) async -> VerificationProgress {
    guard let file = record.finishedFile, let identity = file.identity, let damaged = check.damaged,
      record.spec.request == nil,
      let target = RepairTarget(
        transfer: record.id, path: file.path, identity: identity, damaged: damaged)
    else { return .ended(check) }
    guard verifications.preparing.insert(record.id).inserted else { return .waiting }
    defer { verifications.preparing.remove(record.id) }
    // Another client may have begun one while the record was read.
    guard await current(record.id)?.finishedFile?.check == check else { return .waiting }
    if let earlier = check.repair { _ = await control(.remove(.stays), [earlier]) }
    do {
      guard let id = try await add([record.spec.repairing(target)]).first else {
        return .ended(check)
      }
      try await prepare(id, for: target, entityTag: file.entityTag, check)
      _ = await control(.start, [id])
      return .repairing(by: id)
    } catch let failure as TransferFailure {
      return .unrepaired(check, failure)
    } catch {
      return .unrepaired(
        check, TransferFailure(.internalProblem, on: file.path, detail: "\(error)"))
    }
  }

  private func current(_ id: TransferID) async -> TransferRecord? {
    await withoutEviction {
      await load([id])
      return scheduler.machines[id]?.record
    }
  }

  /// Gives the new transfer its partial file, and records it as the repair of the damaged file. If
  /// this fails, the transfer is removed.
  private func prepare(
    _ id: TransferID, for target: RepairTarget, entityTag: String?, _ check: FileCheck
  ) async throws {
    let resumeData: ResumeData
    do {
      resumeData = try await scratch(of: target, for: id, entityTag: entityTag)
    } catch {
      _ = await control(.remove(.stays), [id])
      throw error
    }
    var check = check
    check.repair = id
    await withoutEviction {
      await load([id, target.transfer])
      let now = clock.now()
      let recorded = runDurably(decide { $0.recordCheck(check, of: target.transfer) }, at: now)
      await runDurably(decide { $0.prepareRepair(id, with: resumeData) }, at: now).value()
      await recorded.value()
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
    files.digests.async { [weak self, archive = store.archive, storage = files.storage] in
      let result = Result { () throws(TransferFailure) -> FinishedFile in
        let known = (try? archive.digests(of: target.transfer)) ?? BlockDigests()
        try storage.patch(target, from: resumeData, with: known.entries)
        storage.removePartialFile(resumeData.partialIdentity)
        return FinishedFile(path: target.path, identity: target.identity)
      }
      // First, so that no client finds the file without its repair and without a comparison.
      if case .success = result { self?.post(.repaired(target.transfer)) }
      self?.post(.event(.file(id, .placed(result, by: operation))))
    }
  }

  func repaired(_ id: TransferID) {
    verifications.add(id)
    beginVerification()
  }
}

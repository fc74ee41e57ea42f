import KettleModel
import KettleScheduler

extension FileStorage {
  /// Returns why a name cannot be used. A file that is there counts in place of the transfer's only
  /// if it has the checksum that the user has given. Reads that file.
  func judged(
    _ failure: TransferFailure, onConflict policy: ConflictPolicy, _ checksum: Checksum?
  ) -> TransferFailure {
    guard failure.isOfFileThere, policy == .skip, let checksum else { return failure }
    do throws(TransferFailure) {
      let found = try digest(ofFileAt: failure.subject, algorithm: checksum.algorithm)
      if found == checksum.hex { return failure }
      return TransferFailure(
        .nameTaken, on: failure.subject,
        detail: "its checksum is \(found), and expected is \(checksum.text)")
    } catch { return error }
  }
}

/// Opens or creates the partial file of a body plan. Blocks.
struct BodyOpening: Sendable {
  let files: any FileStorage
  let id: TransferID
  let spec: TransferSpec
  let directory: String

  struct Opened: Sendable {
    var resumeData: ResumeData
    var file: any PartialFile
    /// Why bytes that were there are not used.
    var freshStart: FreshStartReason?
  }

  /// - Parameter copying: follows and stops the copying of another program's file.
  func open(
    _ plan: BodyPlan, _ copying: LiveCopying = LiveCopying()
  ) throws(TransferFailure) -> Opened {
    switch plan {
    case .create(let new): return try create(new, copying)
    case .goOn(let resumeData):
      let file = try files.openPartialFile(resumeData)
      if resumeData.lastWriteNanoseconds == nil {
        // Bytes past the last record, left by a crash, were never synced. A file that was closed is
        // intact, and touching it before the store knows would look like a change by another
        // program.
        try file.truncate(to: resumeData.durable.upperBound)
      }
      if let total = expectedByteCount(resumeData.totalByteCount) {
        try checkSpace(for: total - resumeData.durable.byteCount)
      }
      var opened = resumeData
      opened.lastWriteNanoseconds = nil
      return Opened(resumeData: opened, file: file)
    }
  }

  private func create(
    _ new: BodyPlan.NewFile, _ copying: LiveCopying
  ) throws(TransferFailure) -> Opened {
    let file: any PartialFile
    var freshStart: FreshStartReason?
    if let old = new.old {
      try checkPolicy(old)
      try makeSpace(for: expectedByteCount(new.total), from: old)
      file = try files.createPartialFile(insteadOf: old.resumeData)
    } else {
      if spec.options.makesDirectory { try files.makeDirectory(directory) }
      // The user wrote the rule long before, and may not have made its directory.
      if spec.options.rule?.properties.contains(.directory) == true {
        try files.makeSubdirectory(directory)
      }
      let name = name(of: new)
      try checkPlace(of: name)
      if new.continues, let there = try files.fileToContinue(at: directory + "/" + name) {
        if there.identity.byteCount <= new.total ?? .max {
          return try continuing(there, named: name, as: new, following: copying)
        }
        try checkPolicy(there)
        freshStart = .otherBeginning
      }
      if let total = expectedByteCount(new.total) {
        try checkLargestFile(total, named: name)
        try checkSpace(for: total)
      }
      do throws(TransferFailure) {
        file = try files.createPartialFile(
          in: directory, preferredName: name, onConflict: spec.onConflict)
      } catch {
        throw files.judged(error, onConflict: spec.onConflict, spec.checksum)
      }
    }
    // The file of a program's task stays private until the program takes it.
    if spec.task == nil { file.setPermissions(permissions) }
    var resumeData = resumeData(of: file, new)
    resumeData.validator = new.validator
    resumeData.setAside = setAside(new.old)
    return Opened(resumeData: resumeData, file: file, freshStart: freshStart)
  }

  var permissions: FilePermissions { spec.options.permissions ?? .usual }

  /// What the user typed is taken as it is, or refused.
  func name(of new: BodyPlan.NewFile) -> String {
    spec.name == nil ? files.fitted(new.preferredName, in: directory) : new.preferredName
  }

  /// Returns the resume data of a file that was just created, without a validator, and notes it.
  func resumeData(of file: any PartialFile, _ new: BodyPlan.NewFile) -> ResumeData {
    var resumeData = ResumeData(
      partialPath: file.path, device: file.device, inode: file.inode, durable: ByteRangeSet(),
      totalByteCount: new.total, validator: nil, finalName: file.finalName)
    files.noteUnrecorded(resumeData.partialIdentity, of: id)
    resumeData.serverChecksum = new.checksum
    resumeData.mediaType = new.mediaType
    resumeData.contentCoding = new.contentCoding
    return resumeData
  }

  /// Without a size from the server, uses the size that the program expects.
  func expectedByteCount(_ total: Int64?) -> Int64? {
    total ?? spec.task?.expectedReceiveByteCount
  }

  /// Returns the version to keep. Only the latest is kept, so an older one that was set aside is
  /// removed.
  private func setAside(_ old: BodyPlan.Old?) -> PartialIdentity? {
    guard let old else { return nil }
    switch old.fate {
    case .leftAlone: return old.resumeData.setAside
    case .setAside:
      if let older = old.resumeData.setAside { files.removePartialFile(older) }
      return old.resumeData.partialIdentity
    }
  }

  /// What the user wants in a device or a FIFO gets no file with another name beside it.
  private func checkPlace(of name: String) throws(TransferFailure) {
    let path = directory + "/" + name
    guard spec.name != nil, files.isSpecial(at: path) else { return }
    throw TransferFailure(.nameTaken, on: path, detail: "not a regular file")
  }

  /// Detects a file system that has no such large files before the first byte.
  func checkLargestFile(_ byteCount: Int64, named name: String) throws(TransferFailure) {
    guard let most = files.largestFileByteCount(at: directory), byteCount > most else { return }
    throw TransferFailure(
      .fileProblem, on: directory + "/" + name, detail: FileTrouble.tooLarge)
  }

  /// Detects a full disk before the first byte instead of at the last.
  func checkSpace(for byteCount: Int64) throws(TransferFailure) {
    guard byteCount > 0, let free = files.freeBytes(at: directory), free < byteCount else { return }
    throw TransferFailure(
      .diskFull, on: directory, detail: "\(byteCount) bytes needed, \(free) free")
  }

  /// Keeps the other version while there is space for both: waiting forever for its sake would be
  /// useless.
  private func makeSpace(for total: Int64?, from old: BodyPlan.Old) throws(TransferFailure) {
    guard let total else { return }
    do {
      try checkSpace(for: total)
    } catch {
      guard old.fate == .setAside else { throw error }
      files.removePartialFile(old.resumeData.partialIdentity)
      try checkSpace(for: total)
    }
  }
}

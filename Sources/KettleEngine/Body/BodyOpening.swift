import KettleModel
import KettleScheduler
import KettleSystem

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
  /// Where the file goes when it is complete; nil for the directory.
  var destination: ObjectDestination?
  var objects: any ObjectStore = NoObjectStore()
  /// Returns the digests of pieces that only the store has.
  var storedPieces: @Sendable (TransferID) throws -> PieceHashes? = { _ in nil }

  struct Opened: Sendable {
    enum Origin: Sendable {
      case created, continued
    }

    var resumeData: ResumeData
    var file: any PartialFile
    var origin = Origin.created
    /// Why bytes that were there are not used.
    var freshStart: FreshStartReason?
    /// The pieces that the bytes are compared with; nil without any.
    var ledger: PieceLedger?
  }

  /// - Parameter copying: follows and stops the copying of another program's file.
  func open(
    _ plan: BodyPlan, _ copying: LiveCopying = LiveCopying()
  ) throws(TransferFailure) -> Opened {
    let pieces = try pieces()
    var opened = try openFile(plan, copying)
    // They are those of the file as it will be, and not of a compressed body.
    let isDescribed =
      opened.resumeData.contentCoding == nil && opened.resumeData.playlist == nil
      && opened.resumeData.totalByteCount ?? pieces?.byteCount == pieces?.byteCount
    if isDescribed, let pieces {
      opened.ledger = PieceLedger(
        pieces, durable: opened.resumeData.durable, isProved: opened.resumeData.continued == nil)
    }
    return opened
  }

  private func pieces() throws(TransferFailure) -> PieceHashes? {
    switch spec.options.described?.pieces {
    case nil: return nil
    case .given(let pieces): return pieces
    case .stored:
      if let pieces = try? storedPieces(id) { return pieces }
      // Without them nothing would prove what is durable.
      throw TransferFailure(
        .internalProblem, on: spec.url.text, detail: "the store lost the digests of its pieces")
    }
  }

  private func openFile(
    _ plan: BodyPlan, _ copying: LiveCopying
  ) throws(TransferFailure) -> Opened {
    switch plan {
    case .create(let new): return try create(new, copying)
    case .goOn(let resumeData):
      let file = try files.openPartialFile(resumeData)
      if plan.cutsFile {
        // Touching a file that was closed would look like a change by another program.
        try file.truncate(to: resumeData.durable.upperBound)
      }
      if let total = expectedByteCount(resumeData.totalByteCount) {
        try checkSpace(for: total - resumeData.durable.byteCount)
      }
      var opened = resumeData
      opened.lastWriteNanoseconds = nil
      return Opened(resumeData: opened, file: file, origin: .continued)
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
      let name = name(of: new)
      guard directory.isAbsolutePath else {
        throw TransferFailure(
          .storeRefused, on: directory, detail: "no object can have a name there")
      }
      if let destination {
        try checkObject(name, in: destination)
      } else {
        try checkDirectory()
        try checkPlace(of: name)
      }
      if new.continues, destination == nil,
        let there = try files.fileToContinue(at: directory + "/" + name)
      {
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
          in: directory, preferredName: name,
          onConflict: destination == nil ? spec.onConflict : .rename)
      } catch {
        throw files.judged(error, onConflict: spec.onConflict, spec.checksum)
      }
    }
    // The file of a program's task stays private until the program takes it.
    if spec.task == nil { file.setPermissions(permissions) }
    var resumeData = resumeData(of: file, new)
    if destination != nil { resumeData.finalName = new.old?.resumeData.finalName ?? name(of: new) }
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

  private func checkDirectory() throws(TransferFailure) {
    if spec.options.makesDirectory { try files.makeDirectory(directory) }
    // The user wrote the rule long before, and may not have made its directory.
    if spec.options.rule?.properties.contains(.directory) == true {
      try files.makeSubdirectory(directory)
    }
  }

  /// Detects an object that is to be kept, and a name that no object can have, before the first
  /// byte.
  private func checkObject(
    _ name: String, in destination: ObjectDestination
  ) throws(TransferFailure) {
    let path = destination.prefix.text + "/" + name
    guard destination.prefix.key(of: name) != nil else {
      throw TransferFailure(.storeRefused, on: path, detail: "no object can have this name")
    }
    guard spec.onConflict == .skip, try objects.exists(name, in: destination) else { return }
    throw TransferFailure(.nameTaken, on: path)
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

/// The file of another program under the name of a new one (`TransferOptions.continues`).
///
/// Its bytes are copied and its own file is only read: they may be those of another file, which the
/// next response shows. `FileStorage.finish` replaces it if it is still the same then.
extension BodyOpening {
  /// Whether opening copies a file, which is slow.
  func copies(_ plan: BodyPlan) -> Bool {
    guard case .create(let new) = plan, new.continues, new.old == nil, destination == nil else {
      return false
    }
    return (try? files.fileToContinue(at: directory + "/" + name(of: new))) != nil
  }

  /// Creates the partial file with the bytes of another program's file. They get no validator: no
  /// response has had these bytes.
  func continuing(
    _ there: ForeignFile, named name: String, as new: BodyPlan.NewFile,
    following copying: LiveCopying
  ) throws(TransferFailure) -> Opened {
    let byteCount = there.identity.byteCount
    if let total = expectedByteCount(new.total) {
      try checkLargestFile(total, named: name)
      try checkSpace(for: total - byteCount)
    }
    let file = try files.createPartialFile(
      in: directory, preferredName: name, onConflict: .replace)
    // A file that others cannot read has no copy that they can.
    file.setPermissions(permissions.intersection(there.permissions))
    var resumeData = resumeData(of: file, new)
    do throws(TransferFailure) {
      try files.copy(there, into: file) { copying.advance(to: $0) }
      _ = try file.sync()
      if let total = new.total { try checkSpace(for: total - byteCount) }
    } catch {
      files.removePartialFile(resumeData.partialIdentity)
      throw error
    }
    resumeData.durable = ByteRangeSet(prefix: byteCount)
    resumeData.sample = file.sample(ofFirst: byteCount)
    resumeData.continued = there.identity
    // An empty file says nothing that a response would have to prove.
    if byteCount == 0 { resumeData.validator = new.validator }
    return Opened(resumeData: resumeData, file: file)
  }

  /// Refuses a file that is not the beginning of the response, where no other may be made.
  func checkPolicy(_ there: ForeignFile) throws(TransferFailure) {
    guard spec.onConflict == .skip else { return }
    throw TransferFailure(
      .notContinued, on: there.path, detail: "it is not the beginning of this one")
  }

  /// The same for one whose copy a response has shown to be other bytes.
  func checkPolicy(_ old: BodyPlan.Old) throws(TransferFailure) {
    guard old.resumeData.hasUnprovedBytes, spec.onConflict == .skip else { return }
    throw TransferFailure(
      .notContinued, on: directory + "/" + old.resumeData.finalName,
      detail: "it is not the beginning of this one")
  }
}

/// The copying of a file into a partial one, as the engine follows and stops it.
final class LiveCopying: Sendable {
  private enum State: Sendable {
    /// Nothing is copied yet, and perhaps nothing will be.
    case waiting
    case copied(Int64)
    /// With what was copied until then; nil for nothing.
    case abandoned(after: Int64?)
  }

  private let state = Mutex(State.waiting)

  /// The number of copied bytes; nil if copying has not begun. What the response does meanwhile
  /// decides nothing.
  var byteCount: Int64? {
    state.withLock { state in
      switch state {
      case .copied(let byteCount): byteCount
      case .abandoned(let byteCount): byteCount
      case .waiting: nil
      }
    }
  }

  /// Returns whether to go on.
  func advance(to byteCount: Int64) -> Bool {
    state.withLock { state in
      switch state {
      case .abandoned: return false
      case .waiting, .copied:
        state = .copied(byteCount)
        return true
      }
    }
  }

  /// Stops the copying. What is opened without any is opened all the same.
  func abandon() {
    state.withLock { state in
      switch state {
      case .waiting: state = .abandoned(after: nil)
      case .copied(let byteCount): state = .abandoned(after: byteCount)
      case .abandoned: break
      }
    }
  }
}

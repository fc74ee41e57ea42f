import KettleEngine
import KettleModel
import KettleScheduler
import TestSupport

/// The disk of a simulated machine: the files in memory, with errors, a size, and steps at which
/// the machine can lose its power or the service be killed.
///
/// `@unchecked Sendable`: only the thread of the run uses it.
final class SimulatedDisk: FileStorage, @unchecked Sendable {
  let files: InMemoryFileStorage
  private let machine: SimulatedMachine
  private(set) var openCount = 0

  init(_ files: InMemoryFileStorage, of machine: SimulatedMachine) {
    self.files = files
    files.beginBlockDigests()
    self.machine = machine
  }

  /// Fails if there is a reason to, and lets the machine end before or after the call.
  fileprivate func call<Value>(
    _ fault: SimulatedFault?, on path: String, _ body: () throws(TransferFailure) -> Value
  ) throws(TransferFailure) -> Value {
    machine.step()
    if let fault, machine.meets(fault) {
      machine.note("disk: EIO on \(path)")
      throw TransferFailure(.fileProblem, on: path, detail: "EIO")
    }
    defer { machine.step() }
    return try body()
  }

  private func opened(_ file: any PartialFile) -> any PartialFile {
    openCount += 1
    return SimulatedPartialFile(file, on: self, of: machine)
  }

  fileprivate func closed() { openCount -= 1 }

  // MARK: Partial files

  func createPartialFile(
    in directory: String, preferredName: String, onConflict: ConflictPolicy
  ) throws(TransferFailure) -> any PartialFile {
    opened(
      try call(.createFails, on: directory) { () throws(TransferFailure) in
        try files.createPartialFile(
          in: directory, preferredName: preferredName, onConflict: onConflict)
      })
  }

  func createPartialFile(insteadOf old: ResumeData) throws(TransferFailure) -> any PartialFile {
    opened(
      try call(.createFails, on: old.partialPath) { () throws(TransferFailure) in
        try files.createPartialFile(insteadOf: old)
      })
  }

  func openPartialFile(_ resumeData: ResumeData) throws(TransferFailure) -> any PartialFile {
    opened(
      try call(.createFails, on: resumeData.partialPath) { () throws(TransferFailure) in
        try files.openPartialFile(resumeData)
      })
  }

  func removePartialFile(_ identity: PartialIdentity) {
    machine.step()
    files.removePartialFile(identity)
    machine.step()
  }

  func noteUnrecorded(_ identity: PartialIdentity, of id: TransferID) {
    files.noteUnrecorded(identity, of: id)
    machine.step()
  }

  func forgetUnrecorded(_ identities: [PartialIdentity]) { files.forgetUnrecorded(identities) }

  var leftUnrecorded: [UnrecordedFile] { files.leftUnrecorded }

  func beginning(of identity: PartialIdentity, byteCountMax: Int) -> [UInt8]? {
    machine.meets(.readFails) ? nil : files.beginning(of: identity, byteCountMax: byteCountMax)
  }

  // MARK: Digests

  func isRight(
    _ index: Int, of hashes: PieceHashes, in file: any PartialFile
  ) throws(TransferFailure) -> Bool {
    try call(.readFails, on: file.path) { () throws(TransferFailure) in
      try files.isRight(index, of: hashes, in: file)
    }
  }

  func makeBlockDigest() -> (any RunningBlockDigest)? { files.makeBlockDigest() }

  func compare(
    fileAt path: String, with digests: [DigestedBytes], advance: @Sendable (Int64) -> Bool
  ) throws(TransferFailure) -> FileComparison {
    try call(.readFails, on: path) { () throws(TransferFailure) in
      try files.compare(fileAt: path, with: digests, advance: advance)
    }
  }

  func digests(
    ofFileAt path: String, advance: @Sendable (Int64) -> Bool
  ) throws(TransferFailure) -> [DigestedBytes] {
    try call(.readFails, on: path) { () throws(TransferFailure) in
      try files.digests(ofFileAt: path, advance: advance)
    }
  }

  func patch(
    _ target: RepairTarget, from resumeData: ResumeData, with digests: [DigestedBytes]
  ) throws(TransferFailure) {
    try call(.writeFails, on: target.path) { () throws(TransferFailure) in
      try files.patch(target, from: resumeData, with: digests)
    }
  }

  // MARK: Finished files

  func finish(
    _ resumeData: ResumeData, onConflict: ConflictPolicy
  ) throws(TransferFailure) -> FinishedFile {
    let file = try call(.renameFails, on: resumeData.partialPath) { () throws(TransferFailure) in
      try files.finish(resumeData, onConflict: onConflict)
    }
    machine.loop.block()
    files.syncNames()
    machine.step()
    return file
  }

  func finishedFile(of resumeData: ResumeData) -> FinishedFile? {
    let file = files.finishedFile(of: resumeData)
    if file != nil { files.syncNames() }
    return file
  }

  func removeFinishedFile(_ file: FinishedFile) -> Bool {
    machine.step()
    defer { machine.step() }
    return files.removeFinishedFile(file)
  }

  func hasEntry(at path: String) -> Bool { files.hasEntry(at: path) }

  func standing(of file: FinishedFile) -> FinishedFileStanding { files.standing(of: file) }

  func digest(
    ofFileAt path: String, algorithm: Checksum.Algorithm
  ) throws(TransferFailure) -> String {
    try call(.readFails, on: path) { () throws(TransferFailure) in
      try files.digest(ofFileAt: path, algorithm: algorithm)
    }
  }

  func beginDigest(
    of resumeData: ResumeData, algorithm: Checksum.Algorithm
  ) throws(TransferFailure) -> any FileDigest {
    try files.beginDigest(of: resumeData, algorithm: algorithm)
  }

  func moveTogether<Outcome>(_ body: (any FileMoves) -> Outcome) -> Outcome {
    machine.step()
    defer { machine.step() }
    return files.moveTogether { body(SimulatedMoves(moves: $0, machine: machine)) }
  }

  // MARK: What the simulation leaves out

  func fileToContinue(at path: String) throws(TransferFailure) -> ForeignFile? {
    try files.fileToContinue(at: path)
  }

  func copy(
    _ file: ForeignFile, into partial: any PartialFile, advance: @Sendable (Int64) -> Bool
  ) throws(TransferFailure) { try files.copy(file, into: partial, advance: advance) }

  func makeDirectory(_ path: String) throws(TransferFailure) { files.makeDirectory(path) }

  func makeSubdirectory(_ path: String) throws(TransferFailure) {
    try files.makeSubdirectory(path)
  }

  func unpack(
    _ resumeData: ResumeData, into file: any PartialFile, shouldStop: @Sendable () -> Bool
  ) throws(TransferFailure) -> Int64 {
    try files.unpack(resumeData, into: file, shouldStop: shouldStop)
  }

  func beginDecryption(_ key: SegmentKey) -> (any BodyDecryption)? { nil }

  func freeBytes(at directory: String) -> Int64? { machine.freeByteCount }
}

/// An open file of the simulated disk.
///
/// `@unchecked Sendable`: only the thread of the run uses it.
final class SimulatedPartialFile: PartialFile, @unchecked Sendable {
  private let file: any PartialFile
  private let disk: SimulatedDisk
  private let machine: SimulatedMachine
  private var isBroken = false
  private var upper: Int64 = 0

  init(_ file: any PartialFile, on disk: SimulatedDisk, of machine: SimulatedMachine) {
    self.file = file
    self.disk = disk
    self.machine = machine
  }

  deinit { disk.closed() }

  var path: String { file.path }
  var finalName: String { file.finalName }
  var device: UInt64 { file.device }
  var inode: UInt64 { file.inode }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(TransferFailure) {
    guard machine.freeByteCount >= bytes.count else {
      machine.happened("a write met a full disk")
      throw TransferFailure(.diskFull, on: path, detail: "ENOSPC")
    }
    try disk.call(.writeFails, on: path) { () throws(TransferFailure) in
      // A kill in the middle leaves the first half.
      let half = bytes.count / 2
      try file.write(UnsafeRawBufferPointer(rebasing: bytes[..<half]), at: offset)
      machine.step()
      try file.write(UnsafeRawBufferPointer(rebasing: bytes[half...]), at: offset + Int64(half))
    }
    upper = max(upper, offset + Int64(bytes.count))
  }

  func read(
    _ buffer: UnsafeMutableRawBufferPointer, at offset: Int64
  ) throws(TransferFailure) {
    try disk.call(.readFails, on: path) { () throws(TransferFailure) in
      try file.read(buffer, at: offset)
    }
  }

  /// The first failure is final, as with the real file.
  func sync() throws(TransferFailure) -> Int64 {
    machine.loop.block()
    guard !isBroken else { throw TransferFailure(.fileProblem, on: path, detail: "EIO") }
    do {
      let modified = try disk.call(.syncFails, on: path) { () throws(TransferFailure) in
        try file.sync()
      }
      if upper > POSIXLike.unnamedByteCountMax { disk.files.syncNames() }
      return modified
    } catch {
      isBroken = true
      machine.happened("a sync failed")
      disk.files.failSync(ofInode: inode) { machine.pageFate() }
      throw error
    }
  }

  func keepInMemory() {}

  func setPermissions(_ permissions: FilePermissions) { file.setPermissions(permissions) }

  func truncate(to byteCount: Int64) throws(TransferFailure) {
    try disk.call(.writeFails, on: path) { () throws(TransferFailure) in
      try file.truncate(to: byteCount)
    }
    upper = byteCount
  }
}

/// What the real storage does as well.
private enum POSIXLike {
  /// Up to this size the directory of a new file is not synced with it.
  static let unnamedByteCountMax: Int64 = 1 << 20
}

/// Moves to the bin and back, with a step after each.
private struct SimulatedMoves: FileMoves {
  let moves: any FileMoves
  let machine: SimulatedMachine

  func movePartialFile(_ identity: PartialIdentity, toName name: String) -> Bool {
    defer { machine.step() }
    return moves.movePartialFile(identity, toName: name)
  }

  func restorePartialFile(
    _ resumeData: ResumeData, from binned: PartialIdentity
  ) -> ResumeData {
    defer { machine.step() }
    return moves.restorePartialFile(resumeData, from: binned)
  }

  func moveFinishedFile(_ file: FinishedFile, toName name: String) -> Bool {
    defer { machine.step() }
    return moves.moveFinishedFile(file, toName: name)
  }

  func restoreFinishedFile(_ file: FinishedFile, from binned: FinishedFile) -> FinishedFile {
    defer { machine.step() }
    return moves.restoreFinishedFile(file, from: binned)
  }
}

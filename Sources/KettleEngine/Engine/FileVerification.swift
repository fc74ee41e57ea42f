import KettleModel
import KettleScheduler
import KettleSystem

/// The comparison of a finished file with what is known of its bytes. Blocks.
struct FileVerification: Sendable {
  let files: any FileStorage
  let objects: any ObjectStore
  let archive: any TransferArchive
  let now: WallTime

  /// What was found, which counts only for the file that was compared.
  struct Result: Sendable {
    var check: FileCheck
    /// The file as it was finished; nil for an object.
    let file: FileIdentity?
    /// The digests of a file that had none.
    var digests: [DigestedBytes] = []
  }

  /// - Parameter advance: gets the number of compared bytes, and returns whether to go on.
  /// - Returns: nil if it was stopped, or if there is nothing to compare: the transfer is gone, or
  ///   its file was never Kettle's.
  func run(_ id: TransferID, advance: @Sendable (Int64) -> Bool) -> Result? {
    guard let record = try? archive.records([id]).first, let file = record.finishedFile else {
      return nil
    }
    if let object = file.object { return check(object, at: file.path, of: record.spec) }
    guard let identity = file.identity else { return nil }
    do throws(TransferFailure) {
      let standing = files.standing(of: file)
      if standing == .missing { return Result(check: FileCheck(.missing, at: now), file: identity) }
      let known = (try? archive.digests(of: id)) ?? BlockDigests()
      guard known.bytes == ByteRangeSet(prefix: identity.byteCount) else {
        let (check, digests) = try withoutDigests(record, of: file, standing, advance: advance)
        return Result(check: check, file: identity, digests: digests)
      }
      let comparison = try files.compare(fileAt: file.path, with: known.entries, advance: advance)
      let check = FileCheck(
        comparison, byteCount: identity.byteCount, blockCount: known.entries.count,
        wasWritten: standing == .changed, at: now)
      return Result(check: check, file: identity)
    } catch {
      if error.code == .cancelled { return nil }
      return Result(check: FileCheck(.unreadable, at: now, detail: error.detail), file: identity)
    }
  }

  /// Asks the store whether it has the object as it was stored.
  private func check(
    _ object: StoredObject, at path: String, of spec: TransferSpec
  ) -> Result? {
    guard let destination = ObjectDestination(spec),
      let name = path.split(separator: "/").last.map(String.init)
    else { return nil }
    let check: FileCheck
    do throws(TransferFailure) {
      check =
        switch try objects.standing(of: object, named: name, in: destination) {
        case .unchanged: FileCheck(.intact, at: now)
        case .changed: FileCheck(.edited, at: now, detail: "another object has its name")
        case .missing: FileCheck(.missing, at: now)
        }
    } catch {
      check = FileCheck(.unreadable, at: now, detail: error.detail ?? error.sentence)
    }
    return Result(check: check, file: nil)
  }

  /// Compares the checksum of a file without digests, if there is one. A file that is as it was
  /// finished gets digests.
  private func withoutDigests(
    _ record: TransferRecord, of file: FinishedFile, _ standing: FinishedFileStanding,
    advance: @Sendable (Int64) -> Bool
  ) throws(TransferFailure) -> (FileCheck, [DigestedBytes]) {
    if let checksum = record.spec.checksum {
      let found = try files.digest(ofFileAt: file.path, algorithm: checksum.algorithm)
      guard found == checksum.hex else {
        let detail = "its checksum is \(found), expected \(checksum.text)"
        return (FileCheck(.damaged, at: now, detail: detail), [])
      }
    } else if standing == .changed {
      return (FileCheck(.edited, at: now), [])
    }
    let digests = try files.digests(ofFileAt: file.path, advance: advance)
    return (FileCheck(record.spec.checksum == nil ? .unproved : .intact, at: now), digests)
  }
}

extension FileCheck {
  /// What the comparison of a file with its digests means.
  ///
  /// - Parameters:
  ///   - byteCount: the size that it had when it was finished.
  ///   - blockCount: how many digests it has.
  ///   - wasWritten: whether its modification time is another one.
  package init(
    _ comparison: FileComparison, byteCount: Int64, blockCount: Int, wasWritten: Bool,
    at now: WallTime
  ) {
    var damaged = ByteRangeSet()
    for range in comparison.differing { damaged.append(range) }
    let isLonger = comparison.byteCount > byteCount
    let isTruncated = comparison.byteCount < byteCount
    guard !damaged.isEmpty || isLonger else {
      self.init(.intact, at: now)
      return
    }
    // Bit rot damages a few blocks and keeps the modification time. An editor usually rewrites
    // most of the file.
    let isEdited = wasWritten && (isLonger || comparison.differing.count * 2 > blockCount)
    self.init(
      isEdited && !isTruncated ? .edited : .damaged, at: now, damaged: damaged,
      detail: isTruncated || isLonger
        ? "it has \(comparison.byteCount) bytes in place of \(byteCount)" : nil)
  }
}

/// The finished files that are to be compared, one after the other.
struct Verifications: Sendable {
  enum Haste: Sendable {
    /// A client waits for the result.
    case prompt
    /// Runs with idle I/O priority, and makes way for prompt ones.
    case leisurely
  }

  struct Job: Sendable {
    let id: TransferID
    let haste: Haste
    let progress: LiveFileWork
    /// Whether the record of the transfer has the result. Clients see it before the job is over.
    var isRecorded = false
  }

  /// Files in the order in which they were added, each once.
  private struct Line {
    private var order: ArraySlice<TransferID> = []
    private(set) var members: Set<TransferID> = []

    mutating func append(_ id: TransferID) {
      if members.insert(id).inserted { order.append(id) }
    }

    mutating func removeFirst() -> TransferID? {
      guard let id = order.popFirst() else { return nil }
      members.remove(id)
      return id
    }
  }

  private(set) var current: Job?
  private var prompt = Line()
  private var leisurely = Line()
  /// The last file that was looked at by `verifyDue`; nil to begin with the first one.
  var lastDue: TransferID?
  /// The files whose repairs are being added.
  var preparing: Set<TransferID> = []
  private var lastOperation: UInt64 = 0

  /// Returns how far the comparison of a file is; nil if no client has asked for one.
  func progress(of id: TransferID) -> VerificationProgress? {
    // A file that waits was changed since the current comparison of it began.
    if prompt.members.contains(id) || preparing.contains(id) { return .waiting }
    guard let current, current.id == id, !current.isRecorded else { return nil }
    return .comparing(byteCount: current.progress.comparedByteCount ?? 0)
  }

  mutating func add(_ id: TransferID, _ haste: Haste = .prompt) {
    switch haste {
    case .prompt:
      prompt.append(id)
      if let current, current.haste == .leisurely { current.progress.abandon() }
    case .leisurely: leisurely.append(id)
    }
  }

  /// Begins the next comparison if none is in progress, and returns it.
  mutating func begin() -> Job? {
    guard current == nil else { return nil }
    let next: (id: TransferID, haste: Haste)
    if let id = prompt.removeFirst() {
      next = (id, .prompt)
    } else if let id = leisurely.removeFirst() {
      next = (id, .leisurely)
    } else {
      return nil
    }
    lastOperation += 1
    let progress = LiveFileWork(
      OperationID(rawValue: lastOperation), .comparing)
    let job = Job(id: next.id, haste: next.haste, progress: progress)
    current = job
    return job
  }

  /// Notes that the record of a transfer has the result of its comparison.
  mutating func noteRecorded(_ id: TransferID) {
    if current?.id == id { current?.isRecorded = true }
  }

  /// Ends the current comparison. One that was abandoned begins again later.
  mutating func end() {
    if let current, current.progress.shouldStop { add(current.id, current.haste) }
    current = nil
  }
}

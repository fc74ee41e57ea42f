import Dispatch
import KettleEngine
import KettleModel
import KettleScheduler
import KettleSystem

extension InMemoryFileStorage: FileStorage {
  package func createPartialFile(
    in directory: String, preferredName: String, onConflict: ConflictPolicy
  ) throws(TransferFailure) -> any PartialFile {
    state.withLock { $0.createGate }?.pass()
    let result = state.withLock { state in
      Result { () throws(TransferFailure) in
        try state.begin(.create)
        if directory == documentsDirectory || directory == heldDirectory {
          state.directories.insert(directory)
        }
        guard state.directories.contains(directory) else {
          throw TransferFailure(.directoryMissing, on: directory, detail: "ENOENT")
        }
        return try Self.reserve(preferredName, in: directory, onConflict, &state)
      }
    }
    let (path, finalName, inode) = try result.get()
    return InMemoryPartialFile(self, path: path, finalName: finalName, inode: inode)
  }

  package func fitted(_ name: String, in directory: String) -> String {
    state.withLock { state in
      state.fittedNameByteCountMax.map { FileName.cut(name, toFit: $0) } ?? name
    }
  }

  package func isSpecial(at path: String) -> Bool {
    state.withLock { $0.specialPaths.contains(path) }
  }

  package func fileToContinue(at path: String) throws(TransferFailure) -> ForeignFile? {
    let (file, isNoted) = state.withLock { ($0.files[path], $0.files[path + ".aria2"] != nil) }
    guard let file else { return nil }
    if isNoted { throw TransferFailure(.notContinued, on: path, detail: "aria2") }
    let identity = state.withLock { $0.identity(file) }
    return ForeignFile(path: path, identity: identity, permissions: file.permissions ?? .usual)
  }

  package func copy(
    _ file: ForeignFile, into partial: any PartialFile, advance: @Sendable (Int64) -> Bool
  ) throws(TransferFailure) {
    guard advance(0) else { throw TransferFailure(.cancelled, on: file.path) }
    state.withLock { $0.copyGate }?.pass()
    guard let bytes = bytes(at: file.path), advance(Int64(bytes.count)) else {
      throw TransferFailure(.cancelled, on: file.path)
    }
    try bytes.withUnsafeBytes { buffer in
      Result { () throws(TransferFailure) in try partial.write(buffer, at: 0) }
    }.get()
  }

  package func largestFileByteCount(at directory: String) -> Int64? {
    state.withLock { $0.largestFileByteCount }
  }

  package func makeSubdirectory(_ path: String) throws(TransferFailure) {
    guard path.hasPrefix(documentsDirectory + "/") else { return }
    _ = state.withLock { $0.directories.insert(path) }
  }

  /// What this storage's unpacking makes of bytes: each of them twice.
  package static func unpacked(_ bytes: [UInt8]) -> [UInt8] { bytes.flatMap { [$0, $0] } }

  package func unpack(
    _ resumeData: ResumeData, into file: any PartialFile, shouldStop: @Sendable () -> Bool
  ) throws(TransferFailure) -> Int64 {
    let packed = try state.withLock { state in
      Result { () throws(TransferFailure) in
        try state.begin(.unpack)
        return try Self.partialFile(resumeData.partialIdentity, in: state).bytes
      }
    }.get()
    let bytes = Self.unpacked(packed)
    try bytes.withUnsafeBytes { buffer in
      Result { () throws(TransferFailure) in try file.write(buffer, at: 0) }
    }.get()
    state.withLock { $0.unpackGate }?.pass()
    if shouldStop() { throw TransferFailure(.cancelled, on: resumeData.finalName) }
    return Int64(bytes.count)
  }

  /// Nothing can be decrypted here.
  package func beginDecryption(_ key: SegmentKey) -> (any BodyDecryption)? { nil }

  package func createPartialFile(
    insteadOf old: ResumeData
  ) throws(TransferFailure) -> any PartialFile {
    let (path, inode) = try state.withLock { state in
      Result { () throws(TransferFailure) in
        try state.begin(.create)
        let directory = Self.directory(of: old.partialPath)
        guard state.directories.contains(directory) else {
          throw TransferFailure(.directoryMissing, on: directory, detail: "ENOENT")
        }
        return try Self.reserve(old.finalName, in: directory, &state)
      }
    }.get()
    return InMemoryPartialFile(self, path: path, finalName: old.finalName, inode: inode)
  }

  /// A partial file at the first free partial name for the given final name.
  private static func reserve(
    _ finalName: String, in directory: String, _ state: inout State
  ) throws(TransferFailure) -> (path: String, inode: UInt64) {
    for name in FileName.candidates(for: finalName) {
      let path = directory + "/" + name + FileName.partialSuffix
      if state.files[path] != nil { continue }
      let file = state.newFile()
      state.files[path] = file
      state.unsyncedNames.append(.made(path))
      return (path, file.inode)
    }
    throw TransferFailure(.nameTaken, on: directory + "/" + finalName)
  }

  private static func reserve(
    _ preferredName: String, in directory: String, _ policy: ConflictPolicy, _ state: inout State
  ) throws(TransferFailure) -> (path: String, finalName: String, inode: UInt64) {
    let preferredPath = directory + "/" + preferredName
    if policy == .skip, state.files[preferredPath] != nil {
      throw TransferFailure(.nameTaken, on: preferredPath)
    }
    for name in FileName.candidates(for: preferredName) {
      let path = directory + "/" + name + FileName.partialSuffix
      if policy == .rename, state.files[directory + "/" + name] != nil { continue }
      if state.files[path] != nil { continue }
      let file = state.newFile()
      state.files[path] = file
      state.unsyncedNames.append(.made(path))
      return (path, policy == .rename ? name : preferredName, file.inode)
    }
    throw TransferFailure(.nameTaken, on: preferredPath)
  }

  package func openPartialFile(
    _ resumeData: ResumeData
  ) throws(TransferFailure) -> any PartialFile {
    let result = state.withLock { state in
      Result { () throws(TransferFailure) in
        try state.begin(.open)
        let file = try Self.partialFile(resumeData.partialIdentity, in: state)
        guard Int64(file.bytes.count) >= resumeData.durable.ranges.last?.upper ?? 0 else {
          throw Self.changed(resumeData.partialPath, "it is shorter than what was kept")
        }
        guard Self.isUntouched(file, since: resumeData.lastWriteNanoseconds) else {
          throw Self.changed(resumeData.partialPath, "it was written to by others")
        }
      }
    }
    try result.get()
    return InMemoryPartialFile(
      self, path: resumeData.partialPath, finalName: resumeData.finalName, inode: resumeData.inode)
  }

  package func finish(
    _ resumeData: ResumeData, onConflict: ConflictPolicy
  ) throws(TransferFailure) -> FinishedFile {
    let result = state.withLock { state in
      Result { () throws(TransferFailure) in
        try state.begin(.finish)
        let file = try Self.partialFile(resumeData.partialIdentity, in: state)
        guard Int64(file.bytes.count) == Self.wholeByteCount(resumeData) else {
          throw Self.changed(resumeData.partialPath, "it has another size than it had")
        }
        guard file.bytes == file.syncedBytes else {
          throw TransferFailure(
            .internalProblem, on: resumeData.partialPath, detail: "finished before it was synced")
        }
        let path = try Self.finalPath(resumeData, onConflict, state)
        state.files[resumeData.partialPath] = nil
        let old = state.files.updateValue(file, forKey: path)
        state.unsyncedNames.append(.moved(from: resumeData.partialPath, to: path, over: old))
        return FinishedFile(path: path, identity: state.identity(file))
      }
    }
    return try result.get()
  }

  package func finish(_ files: [FileToFinish]) -> [Result<FinishedFile, TransferFailure>] {
    let gate = state.withLock { $0.finishGate }
    finishesBegun.yield(files.map(\.resumeData.finalName))
    if let gate {
      gate.wait()
      gate.signal()
    }
    return files.map { file in
      Result { () throws(TransferFailure) in
        try finish(file.resumeData, onConflict: file.onConflict)
      }
    }
  }

  private static func finalPath(
    _ resumeData: ResumeData, _ policy: ConflictPolicy, _ state: State
  ) throws(TransferFailure) -> String {
    let directory = directory(of: resumeData.partialPath)
    for name in FileName.candidates(for: resumeData.finalName) {
      let path = directory + "/" + name
      guard let there = state.files[path] else { return path }
      if name == resumeData.finalName, resumeData.continued == state.identity(there) { return path }
      switch policy {
      case .rename: continue
      case .replace: return path
      case .skip: throw TransferFailure(.nameTaken, on: path)
      }
    }
    throw TransferFailure(.nameTaken, on: directory + "/" + resumeData.finalName)
  }

  package func finishedFile(of resumeData: ResumeData) -> FinishedFile? {
    state.withLock { state in
      if (try? Self.partialFile(resumeData.partialIdentity, in: state)) != nil { return nil }
      let directory = Self.directory(of: resumeData.partialPath)
      for name in FileName.candidates(for: resumeData.finalName) {
        let path = directory + "/" + name
        guard let file = state.files[path] else { return nil }
        if file.inode == resumeData.inode,
          Int64(file.bytes.count) == Self.wholeByteCount(resumeData)
        {
          return FinishedFile(path: path, identity: state.identity(file))
        }
      }
      return nil
    }
  }

  package func noteUnrecorded(_ identity: PartialIdentity, of id: TransferID) {
    state.withLock { $0.unrecorded.append(UnrecordedFile(id: id, identity: identity)) }
  }

  package func forgetUnrecorded(_ identities: [PartialIdentity]) {
    state.withLock { $0.unrecorded.removeAll { identities.contains($0.identity) } }
  }

  package var leftUnrecorded: [UnrecordedFile] { state.withLock { $0.unrecorded } }

  package func beginning(of identity: PartialIdentity, byteCountMax: Int) -> [UInt8]? {
    state.withLock { state in
      guard let file = try? Self.partialFile(identity, in: state) else { return nil }
      return Array(file.bytes.prefix(byteCountMax))
    }
  }

  package func removePartialFile(_ identity: PartialIdentity) {
    state.withLock { state in
      guard (try? Self.partialFile(identity, in: state)) != nil else { return }
      state.remove(identity.path)
    }
  }

  package func removeFinishedFile(_ file: FinishedFile) -> Bool {
    state.withLock { state in
      guard let there = state.files[file.path], file.identity == state.identity(there) else {
        return false
      }
      state.remove(file.path)
      return true
    }
  }

  package func standing(of file: FinishedFile) -> FinishedFileStanding {
    state.withLock { state in
      guard let there = state.files[file.path] else { return .missing }
      let isSame = file.identity.map { $0 == state.identity(there) } ?? true
      return isSame ? .unchanged : .changed
    }
  }

  package func digest(
    ofFileAt path: String, algorithm: Checksum.Algorithm
  ) throws(TransferFailure) -> String {
    guard let bytes = bytes(at: path), let hex = TestDigest.hex(of: bytes, algorithm) else {
      throw TransferFailure(.fileProblem, on: path, detail: "No such file or directory")
    }
    return hex
  }

  package func isRight(
    _ index: Int, of pieces: PieceHashes, in file: any PartialFile
  ) throws(TransferFailure) -> Bool {
    guard let range = pieces.range(of: index), let expected = pieces.digest(of: index),
      case .digest(let algorithm) = pieces.form
    else { throw TransferFailure(.internalProblem, on: file.path) }
    let buffer = UnsafeMutableRawBufferPointer.allocate(
      byteCount: Int(range.byteCount), alignment: 1)
    defer { buffer.deallocate() }
    try file.read(buffer, at: range.lower)
    let zeros = [UInt8](repeating: 0, count: Int(pieces.zeroByteCount(of: index)))
    return TestDigest.hex(of: Array(buffer) + zeros, algorithm) == expected.hexadecimal
  }

  package func beginDigest(
    of resumeData: ResumeData, algorithm: Checksum.Algorithm
  ) throws(TransferFailure) -> any FileDigest {
    try state.withLock { state in
      Result { () throws(TransferFailure) in
        try state.begin(.digest)
        _ = try Self.partialFile(resumeData.partialIdentity, in: state)
      }
    }.get()
    return InMemoryFileDigest(self, resumeData, algorithm)
  }

  package func freeBytes(at directory: String) -> Int64? {
    state.withLock { state in
      let isMadeWhenMissing = directory == documentsDirectory || directory == heldDirectory
      guard isMadeWhenMissing || state.directories.contains(directory) else { return nil }
      return state.freeBytes
    }
  }

  // MARK: - The bin -

  package func moveTogether<Outcome>(_ body: (any FileMoves) -> Outcome) -> Outcome {
    let outcome = body(InMemoryFileMoves(self))
    let changed = state.withLock { state in
      defer {
        state.unsyncedDirectories = []
        state.unsyncedNames = []
      }
      return state.unsyncedDirectories
    }
    if changed.isEmpty { return outcome }
    directorySyncsBegun.yield(changed.sorted())
    waitUntilSyncsMayGoOn()
    return outcome
  }

  package func hasEntry(at path: String) -> Bool { state.withLock { $0.files[path] != nil } }

  // MARK: - Identity -

  static func partialFile(
    _ identity: PartialIdentity, in state: State
  ) throws(TransferFailure) -> File {
    let directory = directory(of: identity.path)
    guard state.directories.contains(directory) else {
      throw TransferFailure(.directoryMissing, on: directory, detail: "ENOENT")
    }
    guard let file = state.files[identity.path] else { throw changed(identity.path, "it is gone") }
    guard file.inode == identity.inode else { throw changed(identity.path, "it is another file") }
    return file
  }

  private static func isUntouched(_ file: File, since lastWrite: Int64?) -> Bool {
    lastWrite.map { file.modified <= $0 } ?? true
  }

  private static func changed(_ path: String, _ detail: String) -> TransferFailure {
    TransferFailure(.partialFileChanged, on: path, detail: detail)
  }

  private static func wholeByteCount(_ resumeData: ResumeData) -> Int64 {
    resumeData.totalByteCount ?? resumeData.durable.prefixByteCount
  }

  static func directory(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
  }
}

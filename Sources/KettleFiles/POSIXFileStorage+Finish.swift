import Glibc
import KettleEngine
import KettleModel
import KettleSystem

extension POSIXFileStorage {
  package func finish(
    _ resumeData: ResumeData, onConflict: ConflictPolicy
  ) throws(TransferFailure) -> FinishedFile {
    var directories = OpenDirectories(calls)
    let named = try rename(
      FileToFinish(resumeData: resumeData, onConflict: onConflict), in: &directories)
    return try directories.synced(named)
  }

  package func finish(_ files: [FileToFinish]) -> [Result<FinishedFile, TransferFailure>] {
    var directories = OpenDirectories(calls)
    let renamed = files.map { file in
      Result { () throws(TransferFailure) in try rename(file, in: &directories) }
    }
    return renamed.map { named in
      Result { () throws(TransferFailure) in try directories.synced(named.get()) }
    }
  }

  /// A file with its final name. A power cut may still undo the rename.
  struct Renamed {
    let directory: Directory
    let name: String
    let identity: FileIdentity
  }

  private func rename(
    _ file: FileToFinish, in directories: inout OpenDirectories
  ) throws(TransferFailure) -> Renamed {
    let resumeData = file.resumeData
    let location = try PartFileLocation(resumeData, in: &directories)
    let (open, status) = try location.open(.read)
    guard status.identity.byteCount == resumeData.wholeByteCount else {
      throw location.changed("it has another size than it had")
    }
    // It was truncated and extended again: the size is right, but the content in between is lost.
    guard !open.hasHole(inFirst: resumeData.wholeByteCount) else {
      throw location.changed("a part of it is missing")
    }
    do {
      let name = try rename(
        open, status, at: location, to: resumeData, onConflict: file.onConflict)
      // Another process may have replaced the partial file between the check and the rename, so
      // that its file got the name. The identity after the rename is the one that a later deletion
      // compares.
      if let time = file.modifiedAt { try setModified(time, of: open) }
      var identity = status.identity
      identity.sample = try open.sample(ofFirst: identity.byteCount)
      guard let there = try location.directory.status(of: name),
        try KnownFile(identity).isEntry(name, there, of: location.directory)
      else { throw location.changed("it is another file") }
      identity = there.identity
      identity.sample = try open.sample(ofFirst: identity.byteCount)
      return Renamed(directory: location.directory, name: name, identity: identity)
    } catch let failure as TransferFailure {
      throw failure
    } catch let error as Errno {
      throw location.directory.failure(error, onName: resumeData.finalName)
    } catch {
      throw TransferFailure(.internalProblem, on: resumeData.partialPath, detail: "\(error)")
    }
  }

  /// A file is complete without its time where the file system cannot set that.
  private func setModified(_ time: WallTime, of file: OpenFile) throws(Errno) {
    do {
      try file.setModified(time)
    } catch {
      guard error.mayMeanUnsupported else { throw error }
    }
  }

  package func finishedFile(of resumeData: ResumeData) -> FinishedFile? {
    guard let location = try? PartFileLocation(resumeData, calls) else { return nil }
    // While the partial file exists, a second name is the trace of an interrupted rename by
    // link(2). `finish` completes it.
    if (try? location.status()) != nil { return nil }
    for name in FileName.candidates(for: resumeData.finalName) {
      // The rename used the first free name, so a gap ends the search unless a file was deleted
      // since. That case is not guessed at.
      guard let status = try? location.directory.status(of: name) else { return nil }
      if status.identity.byteCount == resumeData.wholeByteCount,
        (try? location.isOurs(name, status)) == true
      {
        // The crash may have interrupted the sync of the directory.
        guard (try? location.directory.sync()) != nil else { return nil }
        var identity = status.identity
        identity.sample = try? location.directory.open(name, for: .read)
          .sample(ofFirst: identity.byteCount)
        return FinishedFile(
          path: FilePath.joined(location.directory.path, name), identity: identity)
      }
    }
    return nil
  }

  /// Returns the name that the file got.
  private func rename(
    _ file: OpenFile, _ status: FileStatus, at location: PartFileLocation,
    to resumeData: ResumeData, onConflict: ConflictPolicy
  ) throws -> String {
    let finalName = resumeData.finalName
    for name in FileName.candidates(for: finalName) {
      do {
        try freeNameRename.rename(location.name, to: name, in: location.directory)
        return name
      } catch {
        guard error.rawValue == EEXIST else { throw error }
      }
      let there = try location.directory.status(of: name)
      if let there, try isSecondName(name, there, of: file, with: status, in: location.directory) {
        // Both names refer to the same file, left by an interrupted rename by link(2). rename(2)
        // does nothing then.
        try location.directory.remove(location.name)
        return name
      }
      if name == finalName, let there,
        try resumeData.continued?.isUnchanged(name, there, in: location.directory) == true
      {
        // Its bytes are the beginning of this one.
        try replace(there, named: name, with: location, file)
        return name
      }
      switch onConflict {
      case .rename: continue
      case .skip:
        throw taken(name, in: location.directory, try location.directory.reasonNotAFile(name))
      case .replace:
        // The file under the name has disappeared since. Nothing is replaced unseen.
        guard let there else { throw taken(name, in: location.directory) }
        try replace(there, named: name, with: location, file)
        return name
      }
    }
    throw taken(finalName, in: location.directory)
  }

  /// Returns whether an entry is another name of the open file. Where inode numbers do not last,
  /// the file system must also say that there are two names.
  private func isSecondName(
    _ name: String, _ there: FileStatus, of file: OpenFile, with status: FileStatus,
    in directory: Directory
  ) throws(Errno) -> Bool {
    switch directory.inodeNumbers {
    case .lasting: return there.identity.isSameInode(as: status.identity)
    case .passing: break
    }
    guard there.linkCount > 1, try file.status().linkCount > 1 else { return false }
    var identity = status.identity
    identity.sample = try file.sample(ofFirst: identity.byteCount)
    return try identity.isUnchanged(name, there, in: directory)
  }

  /// Replaces only a regular file: the user requested another file, not the removal of a directory,
  /// a FIFO, a device or a link.
  private func replace(
    _ there: FileStatus, named name: String, with location: PartFileLocation, _ file: OpenFile
  ) throws {
    guard there.isRegular else { throw taken(name, in: location.directory) }
    // A user who could not read the old file must not be able to read the new one (CVE-2022-32207).
    let own = try file.status().permissions
    // Where all files have the same ones, they cannot be set.
    if own & there.permissions != own { try file.setPermissions(own & there.permissions) }
    try location.directory.rename(location.name, replacing: name)
  }

  private func taken(
    _ name: String, in directory: Directory, _ detail: String? = nil
  ) -> TransferFailure {
    TransferFailure(.nameTaken, on: FilePath.joined(directory.path, name), detail: detail)
  }
}

extension ResumeData {
  /// The size of the finished file.
  var wholeByteCount: Int64 { totalByteCount ?? durable.prefixByteCount }
}

/// Questions about files that have their final names.
extension POSIXFileStorage {
  package func standing(of file: FinishedFile) -> FinishedFileStanding {
    guard let path = FilePath(file.path),
      let directory = try? Directory(path.directory, calls: calls),
      let status = try? directory.status(of: path.name)
    else { return .missing }
    // A file that was there before was never compared.
    guard let finished = file.identity else { return .unchanged }
    guard status.isRegular, status.identity.byteCount == finished.byteCount,
      status.identity.hasTime(of: finished)
    else { return .changed }
    return .unchanged
  }

  package func digest(
    ofFileAt path: String, algorithm: Checksum.Algorithm
  ) throws(TransferFailure) -> String {
    let (file, status) = try openForReading(path)
    guard let digest = MessageDigest(algorithm) else {
      throw TransferFailure(
        .internalProblem, on: path, detail: "libcrypto does not offer \(algorithm.rawValue)")
    }
    let whole = POSIXFileDigest(file, digest, path: path)
    try whole.advance(to: status.identity.byteCount) { false }
    return try whole.finish()
  }

  /// Returns the SHA-256 of a part of a file. Throws `partialFileChanged` for a part that it does
  /// not have.
  package func digest(
    of range: ByteRange, inFileAt path: String
  ) throws(TransferFailure) -> [UInt8] {
    let (file, status) = try openForReading(path)
    guard status.identity.byteCount >= range.upper else {
      throw TransferFailure(.partialFileChanged, on: path, detail: "it is shorter")
    }
    guard let digest = MessageDigest(.sha256) else {
      throw TransferFailure(.internalProblem, on: path, detail: "libcrypto has no SHA-256")
    }
    let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 16)
    defer { piece.deallocate() }
    var lower = range.lower
    while lower < range.upper {
      let count = Int(min(Int64(piece.count), range.upper - lower))
      let bytes = UnsafeMutableRawBufferPointer(rebasing: piece.prefix(count))
      let isRead: Bool
      do { isRead = try file.read(bytes, at: lower) } catch { throw error.failure(.file(path)) }
      guard isRead else {
        throw TransferFailure(.partialFileChanged, on: path, detail: "it became shorter")
      }
      guard digest.update(UnsafeRawBufferPointer(bytes)) else { break }
      lower += Int64(count)
    }
    guard lower == range.upper, let result = digest.finishBytes() else {
      throw TransferFailure(.internalProblem, on: path, detail: "libcrypto failed")
    }
    return result
  }

  /// Returns the SHA-256 of bytes; nil when libcrypto fails.
  package static func digest(of bytes: [UInt8]) -> [UInt8]? {
    guard let digest = MessageDigest(.sha256), bytes.withUnsafeBytes({ digest.update($0) }) else {
      return nil
    }
    return digest.finishBytes()
  }

  /// Opens a regular file.
  private func openForReading(
    _ path: String
  ) throws(TransferFailure) -> (OpenFile, FileStatus) {
    let file: OpenFile
    let status: FileStatus
    do {
      let descriptor = try Errno.retrying { open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
      file = OpenFile(owning: descriptor, calls: calls)
      status = try file.status()
    } catch {
      throw error.failure(.file(path))
    }
    guard status.isRegular else {
      throw TransferFailure(.fileProblem, on: path, detail: "it is not a file")
    }
    return (file, status)
  }
}

extension FileIdentity {
  /// Whether the modification time is that of a finished file. FAT keeps steps of two seconds, and
  /// the kernel a finer time until the file is read from the disk again.
  fileprivate func hasTime(of finished: FileIdentity) -> Bool {
    if modifiedNanoseconds == finished.modifiedNanoseconds { return true }
    let (lost, overflow) = finished.modifiedNanoseconds
      .subtractingReportingOverflow(modifiedNanoseconds)
    return !overflow && modifiedNanoseconds % 1_000_000_000 == 0 && (0..<2_000_000_000) ~= lost
  }
}

import Glibc
import KettleEngine
import KettleModel
import KettleSystem

/// `FileStorage` on the file system of Linux.
package struct POSIXFileStorage: FileStorage {
  /// Created when missing. Apart from `heldDirectory` and what `makeSubdirectory` makes, no other
  /// directory is.
  let documentsDirectory: String
  /// Created when missing, with access for the user only. It contains files that programs have not
  /// taken yet.
  let heldDirectory: String?
  let freeNameRename: FreeNameRename
  let calls: FileCalls
  let unrecorded: UnrecordedFiles

  /// All paths are absolute.
  ///
  /// - Parameter unrecordedPath: The path of the list of unrecorded files; nil for none.
  package init(
    documentsDirectory: String, heldDirectory: String? = nil, unrecordedPath: String? = nil
  ) {
    self.init(
      documentsDirectory: documentsDirectory, heldDirectory: heldDirectory,
      freeNameRename: FreeNameRename(), unrecordedPath: unrecordedPath)
  }

  init(
    documentsDirectory: String, heldDirectory: String? = nil,
    freeNameRename: FreeNameRename = FreeNameRename(), calls: FileCalls = .kernel,
    unrecordedPath: String? = nil
  ) {
    unrecorded = UnrecordedFiles(path: unrecordedPath)
    self.calls = calls
    self.documentsDirectory = Self.withoutTrailingSlashes(documentsDirectory)
    self.heldDirectory = heldDirectory.map(Self.withoutTrailingSlashes)
    self.freeNameRename = freeNameRename
  }

  package func createPartialFile(
    in directory: String, preferredName: String, onConflict: ConflictPolicy
  ) throws(TransferFailure) -> any PartialFile {
    let path = Self.withoutTrailingSlashes(directory)
    guard FilePath.isComponent(preferredName),
      preferredName.utf8.count <= FileName.byteCountMax
    else {
      throw TransferFailure(
        .fileProblem, on: FilePath.joined(path, preferredName), detail: "not the name of a file")
    }
    let folder: Directory
    do {
      folder = try openForNewFile(path)
    } catch {
      throw error.failure(.directory(path))
    }
    do {
      let reservation = NameReservation(
        directory: folder, preferredName: preferredName, unrecorded: unrecorded)
      switch onConflict {
      case .rename: return try reservation.underFreeName()
      case .skip: return try reservation.underUnusedName()
      case .replace: return try reservation.underFixedName { $0?.isRegular ?? true }
      }
    } catch let failure as TransferFailure {
      throw failure
    } catch let error as Errno {
      throw folder.failure(error, onName: preferredName)
    } catch {
      throw TransferFailure(.internalProblem, on: path, detail: "\(error)")
    }
  }

  package func makeSubdirectory(_ path: String) throws(TransferFailure) {
    let path = Self.withoutTrailingSlashes(path)
    let isBelow =
      path.hasPrefix(documentsDirectory + "/") && !path.split(separator: "/").contains("..")
    if isBelow { try makeDirectory(path) }
  }

  package func makeDirectory(_ path: String) throws(TransferFailure) {
    do {
      _ = try Directory.openOrMake(Self.withoutTrailingSlashes(path), mode: 0o755, calls: calls)
    } catch {
      throw error.failure(.directory(path))
    }
  }

  private func openForNewFile(_ path: String) throws(Errno) -> Directory {
    switch path {
    case documentsDirectory: try Directory.openOrMake(path, mode: 0o755, calls: calls)
    case heldDirectory: try Directory.openOrMake(path, mode: 0o700, calls: calls)
    default: try Directory(path, calls: calls)
    }
  }

  package func createPartialFile(
    insteadOf old: ResumeData
  ) throws(TransferFailure) -> any PartialFile {
    let location = try PartFileLocation(old, calls)
    do {
      if try location.directory.status(of: location.name) == nil { try location.checkDisk() }
      // `finish` checks whether the final name is taken, as it did for the old file.
      return try NameReservation(
        directory: location.directory, preferredName: old.finalName, unrecorded: unrecorded
      ).underFixedName { _ in true }
    } catch let failure as TransferFailure {
      throw failure
    } catch let error as Errno {
      throw location.directory.failure(error, onName: old.finalName)
    } catch {
      throw TransferFailure(.internalProblem, on: old.partialPath, detail: "\(error)")
    }
  }

  package func openPartialFile(
    _ resumeData: ResumeData
  ) throws(TransferFailure) -> any PartialFile {
    let location = try PartFileLocation(resumeData, calls)
    let (file, status) = try location.open(.write)
    guard status.identity.byteCount >= resumeData.durableUpTo else {
      throw location.changed(PartFileLocation.isShorter)
    }
    // An earlier time does not indicate another writer: fdatasync(2) need not sync it, so a power
    // cut may revert it.
    let tolerance = file.inodeNumbers.modificationToleranceNanoseconds
    if let lastWrite = resumeData.lastWriteNanoseconds,
      status.identity.modifiedNanoseconds
        > lastWrite.addingReportingOverflow(tolerance).partialValue
    {
      throw location.changed("it was written to by others")
    }
    return POSIXPartialFile(
      existing: file, path: resumeData.partialPath, finalName: resumeData.finalName,
      identity: status.identity)
  }

  package func beginning(of identity: PartialIdentity, byteCountMax: Int) -> [UInt8]? {
    guard let location = try? PartFileLocation(identity, calls),
      let (file, status) = try? location.open(.read)
    else { return nil }
    var bytes = [UInt8](
      repeating: 0, count: Int(min(status.identity.byteCount, Int64(byteCountMax))))
    let isRead = bytes.withUnsafeMutableBytes { (try? file.read($0, at: 0)) == true }
    return isRead ? bytes : nil
  }

  package func removePartialFile(_ identity: PartialIdentity) {
    // The outcome is not needed, and a leftover stays under its own name.
    guard let location = try? PartFileLocation(identity, calls), (try? location.status()) != nil
    else {
      return
    }
    guard (try? location.directory.remove(location.name)) != nil else { return }
    // It may never have been recorded.
    unrecorded.forget([identity])
  }

  package func noteUnrecorded(_ identity: PartialIdentity, of id: TransferID) {
    unrecorded.note(identity, of: id)
  }

  package func forgetUnrecorded(_ identities: [PartialIdentity]) {
    unrecorded.forget(identities)
  }

  package var leftUnrecorded: [UnrecordedFile] { unrecorded.left }

  package func removeFinishedFile(_ file: FinishedFile) -> Bool {
    var directories = OpenDirectories(calls)
    guard let (directory, name) = location(of: file, in: &directories) else { return false }
    return (try? directory.remove(name)) != nil
  }

  package func fitted(_ name: String, in directory: String) -> String {
    // A directory that is still to be made will have the limit of the one above it.
    guard let nearest = nearest(to: directory), let folder = try? Directory(nearest, calls: calls)
    else { return name }
    return FileName.cut(name, toFit: folder.nameByteCountMax - FileName.addedByteCountMax)
  }

  package func isSpecial(at path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && FileStatus(status).kind == .special
  }

  package func largestFileByteCount(at directory: String) -> Int64? {
    var limits = [Int64]()
    var own = rlimit()
    if getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &own) == 0,
      own.rlim_cur < UInt64(Int64.max)
    {
      limits.append(Int64(own.rlim_cur))
    }
    if let nearest = nearest(to: directory), let folder = try? Directory(nearest, calls: calls) {
      limits += folder.fileByteCountMax.map { [$0] } ?? []
    }
    return limits.min()
  }

  /// Returns the directory, or the next one above that exists if it is made when it is missing.
  private func nearest(to directory: String) -> String? {
    var path = Self.withoutTrailingSlashes(directory)
    let isMadeWhenMissing = path == documentsDirectory || path == heldDirectory
    var status = stat()
    while stat(path, &status) != 0 {
      guard Errno.current.rawValue == ENOENT, isMadeWhenMissing, let above = FilePath(path) else {
        return nil
      }
      path = above.directory
    }
    return path
  }

  package func freeBytes(at directory: String) -> Int64? {
    // A directory that does not exist yet will be on the disk of its parent.
    guard let path = nearest(to: directory) else { return nil }
    var status = statvfs()
    guard statvfs(path, &status) == 0 else { return nil }
    let (count, overflow) = UInt64(status.f_bavail)
      .multipliedReportingOverflow(by: UInt64(status.f_frsize))
    return overflow ? Int64.max : Int64(clamping: count)
  }

  static func withoutTrailingSlashes(_ path: String) -> String {
    var rest = path[...]
    while rest.count > 1, rest.hasSuffix("/") { rest = rest.dropLast() }
    return String(rest)
  }
}

extension ResumeData {
  /// The size that the file must have to contain every durable byte.
  var durableUpTo: Int64 { durable.ranges.last?.upper ?? 0 }
}

extension POSIXFileStorage {
  package func beginDecryption(_ key: SegmentKey) -> (any BodyDecryption)? { BodyCipher(key) }

  package func beginDigest(
    of resumeData: ResumeData, algorithm: Checksum.Algorithm
  ) throws(TransferFailure) -> any FileDigest {
    let (file, _) = try PartFileLocation(resumeData, calls).open(.read)
    guard let digest = MessageDigest(algorithm) else {
      throw TransferFailure(
        .internalProblem, on: resumeData.partialPath,
        detail: "libcrypto does not offer \(algorithm.rawValue)")
    }
    return POSIXFileDigest(file, digest, path: resumeData.partialPath)
  }
}

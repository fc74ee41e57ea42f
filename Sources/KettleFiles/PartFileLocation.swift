import Glibc
import KettleModel

/// The directory and name of a partial file made earlier, with the check that the file there is
/// still that file.
struct PartFileLocation {
  let directory: Directory
  let name: String
  private let identity: PartialIdentity

  init(_ resumeData: ResumeData, _ calls: FileCalls) throws(TransferFailure) {
    var directories = OpenDirectories(calls)
    try self.init(resumeData, in: &directories)
  }

  init(
    _ resumeData: ResumeData, in directories: inout OpenDirectories
  ) throws(TransferFailure) {
    guard FilePath.isComponent(resumeData.finalName) else {
      throw Self.notAPath(resumeData.partialPath)
    }
    try self.init(resumeData.partialIdentity, in: &directories)
  }

  init(_ identity: PartialIdentity, _ calls: FileCalls) throws(TransferFailure) {
    var directories = OpenDirectories(calls)
    try self.init(identity, in: &directories)
  }

  init(
    _ identity: PartialIdentity, in directories: inout OpenDirectories
  ) throws(TransferFailure) {
    guard let path = FilePath(identity.path) else { throw Self.notAPath(identity.path) }
    self.identity = identity
    name = path.name
    directory = try directories.open(path.directory)
  }

  /// Returns the status of the partial file. Throws when it is gone or was replaced.
  func status() throws(TransferFailure) -> FileStatus {
    do {
      guard let status = try directory.status(of: name) else { throw try gone() }
      try check(status)
      return status
    } catch let failure as TransferFailure {
      throw failure
    } catch let error as Errno {
      throw error.failure(.directory(directory.path))
    } catch {
      throw TransferFailure(.internalProblem, on: identity.path, detail: "\(error)")
    }
  }

  func open(_ access: Directory.Access) throws(TransferFailure) -> (OpenFile, FileStatus) {
    do {
      let file = try directory.open(name, for: access)
      let status = try file.status()
      try check(status, open: file)
      return (file, status)
    } catch let failure as TransferFailure {
      throw failure
    } catch let error as Errno {
      switch error.rawValue {
      case ENOENT: throw try gone()
      case ELOOP, ENXIO, EISDIR: throw changed("it is no regular file")
      default: throw error.failure(.file(identity.path))
      }
    } catch {
      throw TransferFailure(.internalProblem, on: identity.path, detail: "\(error)")
    }
  }

  static let isShorter = "it is shorter than what was kept"

  private static func notAPath(_ path: String) -> TransferFailure {
    TransferFailure(.partialFileChanged, on: path, detail: "not the path of a file")
  }

  func changed(_ detail: String) -> TransferFailure {
    TransferFailure(.partialFileChanged, on: identity.path, detail: detail)
  }

  /// Returns whether an entry of the directory is the file that was made, whatever its name is now.
  func isOurs(_ entry: String, _ status: FileStatus) throws(Errno) -> Bool {
    try KnownFile(identity).isEntry(entry, status, of: directory)
  }

  private func check(_ status: FileStatus, open: OpenFile? = nil) throws {
    guard status.isRegular else { throw changed("it is no regular file") }
    guard try KnownFile(identity).isEntry(name, status, of: directory, open: open) else {
      throw changed("it is another file")
    }
  }

  private func gone() throws(TransferFailure) -> TransferFailure {
    try checkDisk()
    return changed("it is gone")
  }

  /// Throws when the directory is on another disk than before: a missing file is then out of reach,
  /// not gone. An unmounted disk is no reason to discard its bytes or to make another file. Where
  /// device numbers change on each mount, this proves nothing.
  func checkDisk() throws(TransferFailure) {
    do {
      guard try directory.status().identity.device != identity.device,
        try directory.keepsDeviceNumber
      else { return }
      throw TransferFailure(
        .directoryMissing, on: directory.path, detail: "another disk is in its place")
    } catch let failure as TransferFailure {
      throw failure
    } catch let error as Errno {
      throw error.failure(.directory(directory.path))
    } catch {
      throw TransferFailure(.internalProblem, on: identity.path, detail: "\(error)")
    }
  }
}

/// Reserves a name in a directory by creating the partial file for it.
///
/// The partial file is the reservation: its creation is atomic, and it exists until it is renamed
/// to the name that it reserves.
struct NameReservation {
  let directory: Directory
  let preferredName: String
  /// Records each file before it has a name, so that a kill leaves no unknown file.
  let unrecorded: UnrecordedFiles

  /// Reserves the first name that is free for both the partial and the finished file.
  func underFreeName() throws -> POSIXPartialFile {
    for name in try FileName.candidates(for: preferredName, behindTaken: isTaken) {
      // Avoids creating a file in vain. Only the check after its creation decides.
      guard try !isTaken(name) else { continue }
      guard let file = try make(directory.partialName(for: name), finalName: name) else { continue }
      // Another transfer may have finished under the name between the check and the creation.
      if try directory.status(of: name) == nil { return file }
      removeAgain(file)
    }
    throw nameTaken("all \(FileName.numberMax) names are taken")
  }

  private func isTaken(_ name: String) throws(Errno) -> Bool {
    if try directory.status(of: name) != nil { return true }
    return try isReserved(name)
  }

  private func isReserved(_ name: String) throws(Errno) -> Bool {
    try directory.status(of: directory.partialName(for: name)) != nil
  }

  /// Reserves the preferred name for the finished file, whatever the partial file is called,
  /// because the user wants that name or none.
  ///
  /// - Parameter isAcceptable: Whether the file under the name, or its absence, is no obstacle.
  func underFixedName(
    isAcceptable: (FileStatus?) -> Bool
  ) throws -> POSIXPartialFile {
    for name in try FileName.candidates(for: preferredName, behindTaken: isReserved) {
      guard isAcceptable(try directory.status(of: preferredName)) else { throw nameTaken() }
      guard let file = try make(directory.partialName(for: name), finalName: preferredName) else {
        continue
      }
      if isAcceptable(try directory.status(of: preferredName)) { return file }
      removeAgain(file)
    }
    throw nameTaken("all \(FileName.numberMax) names are taken")
  }

  /// Reserves the preferred name only when it is free.
  func underUnusedName() throws -> POSIXPartialFile {
    do {
      return try underFixedName { $0 == nil }
    } catch let failure as TransferFailure where failure.isOfFileThere {
      throw nameTaken(try directory.reasonNotAFile(preferredName))
    }
  }

  /// Returns nil when the name is taken.
  private func make(_ name: String, finalName: String) throws(Errno) -> POSIXPartialFile? {
    do throws(Errno) {
      let noted = try makeNoted(name)
      let made = if let noted { noted } else { try makePlainly(name) }
      return POSIXPartialFile(
        new: made.file, in: directory, path: FilePath.joined(directory.path, name),
        finalName: finalName, identity: made.identity)
    } catch {
      if error.rawValue == EEXIST { return nil }
      throw error
    }
  }

  private typealias Made = (file: OpenFile, identity: FileIdentity)

  private func makePlainly(_ name: String) throws(Errno) -> Made {
    let file = try directory.create(name)
    return (file, try file.status().identity)
  }

  /// Adds the file to the list before it gets its name. Returns nil where that is not possible.
  private func makeNoted(_ name: String) throws(Errno) -> Made? {
    guard let file = try? directory.createUnnamed(), let made = try? file.status().identity else {
      return nil
    }
    let identity = PartialIdentity(
      path: FilePath.joined(directory.path, name), device: made.device, inode: made.inode)
    unrecorded.note(identity, of: nil)
    do throws(Errno) {
      try directory.name(file, name)
    } catch {
      unrecorded.forget([identity])
      if error.rawValue == EEXIST { throw error }
      return nil
    }
    let named = try file.status().identity
    // If the inode number changes when the file gets a name, the list entry is useless.
    if !named.isSameInode(as: made) { unrecorded.forget([identity]) }
    return (file, named)
  }

  private func removeAgain(_ file: POSIXPartialFile) {
    guard let filePath = FilePath(file.path), let status = try? directory.status(of: filePath.name),
      (try? KnownFile(file.identity).isEntry(filePath.name, status, of: directory)) == true
    else { return }
    try? directory.remove(filePath.name)
  }

  private func nameTaken(_ detail: String? = nil) -> TransferFailure {
    TransferFailure(
      .nameTaken, on: FilePath.joined(directory.path, preferredName), detail: detail)
  }
}

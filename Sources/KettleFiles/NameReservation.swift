import Glibc
import KettleScheduler
import KettleModel

/// Takes a name in a directory by making the partial file for it.
///
/// The partial file is the reservation: making it is atomic, and it stands until it is renamed to
/// the very name that it reserves.
struct NameReservation {
  let directory: Directory
  let preferredName: String
  /// Told of each file before it has a name, so that no kill leaves one that nobody knows of.
  let unrecorded: UnrecordedFiles

  /// Takes the first name that is free for both, the partial and the finished file.
  func underFreeName() throws -> POSIXPartialFile {
    for name in FileName.candidates(for: preferredName) {
      // Saves making a file in vain; what decides is the look after it was made.
      guard try directory.status(of: name) == nil else { continue }
      guard let file = try make(name + FileName.partialSuffix, finalName: name) else { continue }
      // Between the look and the making another transfer may have finished under the name.
      if try directory.status(of: name) == nil { return file }
      removeAgain(file)
    }
    throw nameTaken("all \(FileName.numberMax) names are taken")
  }

  /// Keeps the preferred name for the finished file whatever the partial file is called, because
  /// the user wants that one or none.
  ///
  /// - Parameter isAcceptable: whether the file under the name, or none, is no obstacle.
  func underFixedName(
    isAcceptable: (FileStatus?) -> Bool
  ) throws -> POSIXPartialFile {
    for name in FileName.candidates(for: preferredName) {
      guard isAcceptable(try directory.status(of: preferredName)) else { throw nameTaken() }
      guard let file = try make(name + FileName.partialSuffix, finalName: preferredName) else {
        continue
      }
      if isAcceptable(try directory.status(of: preferredName)) { return file }
      removeAgain(file)
    }
    throw nameTaken("all \(FileName.numberMax) names are taken")
  }

  /// Takes the preferred name only when nothing has it.
  func underUnusedName() throws -> POSIXPartialFile {
    do {
      return try underFixedName { $0 == nil }
    } catch let failure as TransferFailure where failure.isOfFileThere {
      throw nameTaken(try directory.reasonNotAFile(preferredName))
    }
  }

  /// Answers nil when the name is taken.
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

  /// The file is in the list before it gets its name. nil where that cannot be done.
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
    // Where a file has another number when it has a name, the list would be of no use.
    if !named.isSameInode(as: made) { unrecorded.forget([identity]) }
    return (file, named)
  }

  private func removeAgain(_ file: POSIXPartialFile) {
    guard let place = FilePath(file.path), let status = try? directory.status(of: place.name),
      status.identity.device == file.device, status.identity.inode == file.inode
    else { return }
    try? directory.remove(place.name)
  }

  private func nameTaken(_ detail: String? = nil) -> TransferFailure {
    TransferFailure(
      .nameTaken, on: FilePath.joined(directory.path, preferredName), detail: detail)
  }
}

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

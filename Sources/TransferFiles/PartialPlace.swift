import Glibc
import TransferModel

/// The directory and name of a partial file that was made earlier, and the proof that what is
/// there is still that file.
struct PartialPlace {
  let directory: Directory
  let name: String
  private let resumeData: ResumeData

  init(_ resumeData: ResumeData) throws(TransferFailure) {
    guard let path = FilePath(resumeData.partialPath), FilePath.isComponent(resumeData.finalName)
    else {
      throw TransferFailure(
        .partialFileChanged, on: resumeData.partialPath, detail: "not the path of a file")
    }
    self.resumeData = resumeData
    name = path.name
    do {
      directory = try Directory(path.directory)
    } catch {
      throw error.failure(.directory(path.directory))
    }
  }

  /// The partial file as it is; fails when it is gone or another one.
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
      throw TransferFailure(.internalProblem, on: resumeData.partialPath, detail: "\(error)")
    }
  }

  func open(_ access: Directory.Access) throws(TransferFailure) -> (OpenFile, FileStatus) {
    do {
      let file = try directory.open(name, for: access)
      let status = try file.status()
      try check(status)
      return (file, status)
    } catch let failure as TransferFailure {
      throw failure
    } catch let error as Errno {
      switch error.rawValue {
      case ENOENT: throw try gone()
      case ELOOP, ENXIO, EISDIR: throw changed("it is no regular file")
      default: throw error.failure(.file(resumeData.partialPath))
      }
    } catch {
      throw TransferFailure(.internalProblem, on: resumeData.partialPath, detail: "\(error)")
    }
  }

  func changed(_ detail: String) -> TransferFailure {
    TransferFailure(.partialFileChanged, on: resumeData.partialPath, detail: detail)
  }

  /// Whether a file in the directory is the one that was made, whatever it is called by now.
  ///
  /// Many file systems get another device number each time they are mounted (btrfs, NFS, overlay;
  /// disks that are found in another order). So another device is accepted where the whole
  /// directory has moved to it.
  func isOurs(_ status: FileStatus) throws(Errno) -> Bool {
    guard status.isRegular, status.identity.inode == resumeData.inode else { return false }
    if status.identity.device == resumeData.device { return true }
    return try status.identity.device == directory.status().identity.device
  }

  private func check(_ status: FileStatus) throws {
    guard status.isRegular else { throw changed("it is no regular file") }
    guard try isOurs(status) else { throw changed("it is another file") }
  }

  /// When the directory is on another disk than it was, the file is not gone but out of reach: its
  /// bytes must not be given up because a disk is not mounted.
  private func gone() throws(TransferFailure) -> TransferFailure {
    do {
      if try directory.status().identity.device != resumeData.device {
        return TransferFailure(
          .directoryMissing, on: directory.path, detail: "another disk is in its place")
      }
      return changed("it is gone")
    } catch {
      throw error.failure(.directory(directory.path))
    }
  }
}

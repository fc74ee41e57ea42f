import Glibc
import KettleModel
import KettleSystem

/// A complete file in a directory of its own below its destination, where it becomes visible when
/// its owner says so: `DESTINATION/.kettle-fleet/OWNER/NAME`.
///
/// It gets its place by a second link, so that everyone who sees both can tell that they are the
/// same file, until the directory of the owner is removed.
package struct StagedFile: Sendable {
  /// The name of the directory below a destination.
  package static let directoryName = FleetSettings.stagingName

  package enum Placing: Hashable, Sendable {
    case placed
    /// Another file has the name.
    case taken
  }

  private let path: String

  package init(at path: String) { self.path = path }

  /// Returns its size and the time of its last change since 1970. Throws if it is no regular file.
  package func measure() throws(TransferFailure) -> (byteCount: Int64, modifiedNanoseconds: Int64) {
    let status = try status(of: path)
    return (status.identity.byteCount, status.identity.modifiedNanoseconds)
  }

  /// Gives the file a name in a directory, and syncs that. A name that this file has already, or a
  /// file that `owners` have staged, counts as placed.
  ///
  /// - Parameters:
  ///   - replacing: whether another file of the name is replaced.
  ///   - owners: whether an owner staged the same file.
  package func place(
    in directory: String, as name: String, replacing: Bool, owners: (String) -> Bool
  ) throws(TransferFailure) -> Placing {
    guard FilePath.isComponent(name) else {
      throw TransferFailure(.fileProblem, on: directory, detail: "the name is not one of a file")
    }
    let target = FilePath.joined(directory, name)
    let own = try status(of: path)
    do throws(Errno) {
      let folder = try Directory(directory)
      if replacing {
        try replace(target)
      } else {
        do throws(Errno) { try link(to: target) } catch {
          guard error.rawValue == EEXIST else { throw error }
          guard let there = try folder.status(of: name),
            there.identity.isSameInode(as: own.identity)
              || Self.isStaged(there, below: directory, owners)
          else { return .taken }
        }
      }
      try folder.sync()
      return .placed
    } catch {
      throw error.failure(.directory(directory))
    }
  }

  /// Whether the name in a directory is a file that one of the owners staged. Where no owner's
  /// directory is left or visible, its size and time decide.
  package static func isPlaced(
    _ name: String, in directory: String, byteCount: Int64, modifiedNanoseconds: Int64?,
    owners: (String) -> Bool
  ) -> Bool {
    guard FilePath.isComponent(name), let there = try? Directory(directory).status(of: name),
      there.kind == .regular
    else { return false }
    if isStaged(there, below: directory, owners) { return true }
    return there.identity.byteCount == byteCount
      && there.identity.modifiedNanoseconds == modifiedNanoseconds
  }

  /// Removes the name of this file from a directory, unless it is another file's.
  package func withdraw(_ name: String, from directory: String) {
    guard FilePath.isComponent(name), let own = try? status(of: path),
      let folder = try? Directory(directory), let there = try? folder.status(of: name),
      there.identity.isSameInode(as: own.identity)
    else { return }
    try? folder.remove(name)
    try? folder.sync()
  }

  /// Removes the directory of an owner with everything in it, and the directory above it when it is
  /// the last one.
  package static func discard(_ owner: String, below directory: String) {
    let parent = FilePath.joined(directory, directoryName)
    let path = FilePath.joined(parent, owner)
    guard FilePath.isComponent(owner), let folder = try? Directory(path) else { return }
    for name in entries(of: path) { try? folder.remove(name) }
    rmdir(path)
    rmdir(parent)
  }

  // MARK: Calls

  private func status(of path: String) throws(TransferFailure) -> FileStatus {
    do throws(Errno) {
      var status = stat()
      _ = try Errno.retrying { lstat(path, &status) }
      let result = FileStatus(status)
      if result.kind == .regular { return result }
    } catch {
      throw error.failure(.file(path))
    }
    throw TransferFailure(.fileProblem, on: path, detail: "it is not a regular file")
  }

  private func link(to target: String) throws(Errno) {
    do throws(Errno) { _ = try Errno.retrying { Glibc.link(path, target) } } catch {
      // File systems without links; the name then moves (link(2), "Errors").
      guard error.mayMeanUnsupported || error.rawValue == EPERM || error.rawValue == EMLINK else {
        throw error
      }
      do throws(SystemError) {
        try FreeNameRename().rename(path, to: target, in: AT_FDCWD)
      } catch {
        throw Errno(rawValue: error.code)
      }
    }
  }

  private func replace(_ target: String) throws(Errno) {
    let temporary = path + ".place"
    unlink(temporary)
    do throws(Errno) {
      _ = try Errno.retrying { Glibc.link(path, temporary) }
      _ = try Errno.retrying { Glibc.rename(temporary, target) }
    } catch {
      guard error.mayMeanUnsupported || error.rawValue == EPERM || error.rawValue == EMLINK else {
        throw error
      }
      _ = try Errno.retrying { Glibc.rename(path, target) }
    }
  }

  /// Whether one of the owners staged the file.
  private static func isStaged(
    _ there: FileStatus, below directory: String, _ owners: (String) -> Bool
  ) -> Bool {
    let parent = FilePath.joined(directory, directoryName)
    for owner in entries(of: parent) where owners(owner) {
      let path = FilePath.joined(parent, owner)
      guard let folder = try? Directory(path) else { continue }
      for name in entries(of: path) {
        if let staged = try? folder.status(of: name),
          staged.identity.isSameInode(as: there.identity)
        {
          return true
        }
      }
    }
    return false
  }

  private static func entries(of path: String) -> [String] {
    guard let stream = opendir(path) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }
}

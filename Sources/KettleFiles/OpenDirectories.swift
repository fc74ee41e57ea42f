import KettleEngine
import KettleModel

/// The directories of files that are finished together, each opened once and synced once.
struct OpenDirectories {
  private let calls: FileCalls
  private var directories: [String: Directory] = [:]
  /// nil when it went well. The first answer stands: a second sync may be told of success when the
  /// first one failed (fsync(2), "Errors").
  private var syncs: [ObjectIdentifier: Errno?] = [:]

  init(_ calls: FileCalls) { self.calls = calls }

  mutating func open(_ path: String) throws(TransferFailure) -> Directory {
    if let directory = directories[path] { return directory }
    do {
      let directory = try Directory(path, calls: calls)
      directories[path] = directory
      return directory
    } catch {
      throw error.failure(.directory(path))
    }
  }

  /// Called when all that is done in the directory is done: puts the name on the disk.
  mutating func synced(
    _ file: POSIXFileStorage.Renamed
  ) throws(TransferFailure) -> FinishedFile {
    if let error = syncError(of: file.directory) {
      throw error.failure(.directory(file.directory.path))
    }
    return FinishedFile(
      path: FilePath.joined(file.directory.path, file.name), identity: file.identity)
  }

  private mutating func syncError(of directory: Directory) -> Errno? {
    let key = ObjectIdentifier(directory)
    if let known = syncs[key] { return known }
    var failure: Errno?
    do throws(Errno) { try directory.sync() } catch { failure = error }
    syncs.updateValue(failure, forKey: key)
    return failure
  }
}

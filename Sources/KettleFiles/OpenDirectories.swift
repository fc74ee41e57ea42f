import KettleEngine
import KettleModel

/// The directories of files that are finished together. Each is opened once and synced once.
struct OpenDirectories {
  private let calls: FileCalls
  private var directories: [String: Directory] = [:]
  /// nil: the sync succeeded. The first result is final: after a failed sync, a second one may
  /// report success (fsync(2), "Errors").
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

  /// Syncs the directory of the file. Call it after all other work in that directory.
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

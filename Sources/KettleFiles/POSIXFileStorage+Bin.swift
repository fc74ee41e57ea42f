import Glibc
import KettleEngine
import KettleModel

/// The bin is in the directory of each file: a rename needs no space and survives a power cut.
extension POSIXFileStorage {
  package func moveTogether<Outcome>(_ body: (any FileMoves) -> Outcome) -> Outcome {
    let moves = POSIXFileMoves(self)
    defer { moves.syncDirectories() }
    return body(moves)
  }

  package func hasEntry(at path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 || ![ENOENT, ENOTDIR].contains(errno)
  }

  /// Returns where a finished file is; nil when it is not exactly what was finished any more.
  func location(
    of file: FinishedFile, in directories: inout OpenDirectories
  ) -> (Directory, name: String)? {
    guard let identity = file.identity, let path = FilePath(file.path),
      let directory = try? directories.open(path.directory),
      let status = try? directory.status(of: path.name),
      (try? identity.isUnchanged(path.name, status, in: directory)) == true
    else { return nil }
    return (directory, path.name)
  }
}

/// Moves of files in directories that are opened once and synced once.
private final class POSIXFileMoves: FileMoves {
  private let storage: POSIXFileStorage
  private var directories: OpenDirectories
  /// The directories with a rename, by identity.
  private var changed: [ObjectIdentifier: Directory] = [:]

  init(_ storage: POSIXFileStorage) {
    self.storage = storage
    directories = OpenDirectories(storage.calls)
  }

  /// Makes the renames last. Where a directory cannot be synced, a power cut may undo its own.
  func syncDirectories() {
    for directory in changed.values { try? directory.sync() }
  }

  func movePartialFile(_ identity: PartialIdentity, toName name: String) -> Bool {
    guard let location = location(of: identity) else { return false }
    return move(location.name, toFirstFree: CollectionOfOne(name), in: location.directory) != nil
  }

  func restorePartialFile(_ resumeData: ResumeData, from binned: PartialIdentity) -> ResumeData {
    var restored = resumeData
    guard let location = location(of: binned) else { return restored }
    restored.partialPath = binned.path
    let names = FileName.candidates(for: resumeData.finalName).lazy.map {
      location.directory.partialName(for: $0)
    }
    if let name = move(location.name, toFirstFree: names, in: location.directory) {
      restored.partialPath = FilePath.joined(location.directory.path, name)
    }
    return restored
  }

  func moveFinishedFile(_ file: FinishedFile, toName name: String) -> Bool {
    guard let (directory, ownName) = storage.location(of: file, in: &directories) else {
      return false
    }
    return move(ownName, toFirstFree: CollectionOfOne(name), in: directory) != nil
  }

  func restoreFinishedFile(_ file: FinishedFile, from binned: FinishedFile) -> FinishedFile {
    var restored = file
    guard let (directory, binnedName) = storage.location(of: binned, in: &directories) else {
      return restored
    }
    restored.path = binned.path
    guard let own = FilePath(file.path) else { return restored }
    let names = FileName.candidates(for: own.name)
    if let name = move(binnedName, toFirstFree: names, in: directory) {
      restored.path = FilePath.joined(directory.path, name)
    }
    return restored
  }

  /// Returns where a partial file is; nil when it is gone or another file.
  private func location(of identity: PartialIdentity) -> PartFileLocation? {
    guard let location = try? PartFileLocation(identity, in: &directories),
      (try? location.status()) != nil
    else { return nil }
    return location
  }

  /// Renames a file.
  ///
  /// - Returns: the name that the file has now; nil when it could not be moved.
  private func move(
    _ name: String, toFirstFree names: some Sequence<String>, in directory: Directory
  ) -> String? {
    for candidate in names {
      do {
        try storage.freeNameRename.rename(name, to: candidate, in: directory)
        changed[ObjectIdentifier(directory)] = directory
        return candidate
      } catch {
        guard error.rawValue == EEXIST else { return nil }
      }
    }
    return nil
  }
}

import Glibc
import KettleEngine
import KettleModel
import KettleScheduler

/// The bin is in the directory of each file: a rename needs no space and survives a power cut.
extension POSIXFileStorage {
  @discardableResult
  package func movePartialFile(_ identity: PartialIdentity, toName name: String) -> Bool {
    guard let location = try? PartFileLocation(identity, calls), (try? location.status()) != nil
    else { return false }
    return move(location.name, toFirstFree: CollectionOfOne(name), in: location.directory) != nil
  }

  package func restorePartialFile(
    _ resumeData: ResumeData, from binned: PartialIdentity
  ) -> ResumeData {
    var restored = resumeData
    guard let location = try? PartFileLocation(binned, calls), (try? location.status()) != nil
    else { return restored }
    restored.partialPath = binned.path
    let names = FileName.candidates(for: resumeData.finalName).lazy.map {
      location.directory.partialName(for: $0)
    }
    if let name = move(location.name, toFirstFree: names, in: location.directory) {
      restored.partialPath = FilePath.joined(location.directory.path, name)
    }
    return restored
  }

  package func moveFinishedFile(_ file: FinishedFile, toName name: String) -> Bool {
    guard let (directory, ownName) = location(of: file) else { return false }
    return move(ownName, toFirstFree: CollectionOfOne(name), in: directory) != nil
  }

  package func hasEntry(at path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 || ![ENOENT, ENOTDIR].contains(errno)
  }

  package func restoreFinishedFile(
    _ file: FinishedFile, from binned: FinishedFile
  ) -> FinishedFile {
    var restored = file
    guard let (directory, binnedName) = location(of: binned) else { return restored }
    restored.path = binned.path
    guard let own = FilePath(file.path) else { return restored }
    let names = FileName.candidates(for: own.name)
    if let name = move(binnedName, toFirstFree: names, in: directory) {
      restored.path = FilePath.joined(directory.path, name)
    }
    return restored
  }

  /// Returns where a finished file is; nil when it is not exactly what was finished any more.
  func location(of file: FinishedFile) -> (Directory, name: String)? {
    guard let identity = file.identity, let path = FilePath(file.path),
      let directory = try? Directory(path.directory, calls: calls),
      let status = try? directory.status(of: path.name),
      (try? identity.isUnchanged(path.name, status, in: directory)) == true
    else { return nil }
    return (directory, path.name)
  }

  /// Renames a file. Where the directory cannot be synced, a power cut may undo the rename.
  ///
  /// - Returns: the name that the file has now; nil when it could not be moved.
  private func move(
    _ name: String, toFirstFree names: some Sequence<String>, in directory: Directory
  ) -> String? {
    for candidate in names {
      do {
        try freeNameRename.rename(name, to: candidate, in: directory)
        try? directory.sync()
        return candidate
      } catch {
        guard error.rawValue == EEXIST else { return nil }
      }
    }
    return nil
  }
}

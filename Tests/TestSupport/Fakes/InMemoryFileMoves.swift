import KettleEngine
import KettleModel
import KettleScheduler
import KettleSystem

/// Moves of files in memory to the bin and back.
struct InMemoryFileMoves: FileMoves {
  private let storage: InMemoryFileStorage

  init(_ storage: InMemoryFileStorage) { self.storage = storage }

  func movePartialFile(_ identity: PartialIdentity, toName name: String) -> Bool {
    storage.state.withLock { state in
      guard (try? InMemoryFileStorage.partialFile(identity, in: state)) != nil else { return false }
      return state.move(
        identity.path, to: InMemoryFileStorage.directory(of: identity.path) + "/" + name)
    }
  }

  func restorePartialFile(
    _ resumeData: ResumeData, from binned: PartialIdentity
  ) -> ResumeData {
    var restored = resumeData
    storage.state.withLock { state in
      guard (try? InMemoryFileStorage.partialFile(binned, in: state)) != nil else { return }
      let directory = InMemoryFileStorage.directory(of: binned.path)
      let names = FileName.candidates(for: resumeData.finalName).lazy.map {
        directory + "/" + $0 + FileName.partialSuffix
      }
      guard let path = names.first(where: { state.files[$0] == nil }) else { return }
      state.move(binned.path, to: path)
      restored.partialPath = path
    }
    return restored
  }

  func moveFinishedFile(_ file: FinishedFile, toName name: String) -> Bool {
    storage.state.withLock { state in
      guard let identity = file.identity, let there = state.files[file.path],
        state.identity(there) == identity
      else { return false }
      return state.move(file.path, to: InMemoryFileStorage.directory(of: file.path) + "/" + name)
    }
  }

  func restoreFinishedFile(
    _ file: FinishedFile, from binned: FinishedFile
  ) -> FinishedFile {
    var restored = file
    storage.state.withLock { state in
      guard let there = state.files[binned.path], state.identity(there) == binned.identity else {
        return
      }
      let directory = InMemoryFileStorage.directory(of: file.path)
      let name = String(file.path.dropFirst(directory.count + 1))
      let paths = FileName.candidates(for: name).lazy.map { directory + "/" + $0 }
      guard let path = paths.first(where: { state.files[$0] == nil }) else { return }
      state.move(binned.path, to: path)
      restored.path = path
    }
    return restored
  }
}

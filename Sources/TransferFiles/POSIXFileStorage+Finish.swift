import Glibc
import TransferCore
import TransferEngine
import TransferModel

extension POSIXFileStorage {
  package func finish(
    _ resumeData: ResumeData, onConflict: ConflictPolicy
  ) throws(TransferFailure) -> FinishedFile {
    let place = try PartialPlace(resumeData, calls)
    let (file, status) = try place.open(.read)
    guard status.identity.byteCount == resumeData.wholeByteCount else {
      throw place.changed("it has another size than it had")
    }
    do {
      let name = try rename(place, file, status, to: resumeData.finalName, onConflict)
      // Between the look at the partial file and the rename somebody may have put another in its
      // place, and that one got the name.
      guard try place.directory.status(of: name)?.identity.isSameInode(as: status.identity) == true
      else { throw place.changed("it is another file") }
      try directorySyncs.sync(place.directory)
      // A rename leaves size and date alone, but they are what a later deletion is measured by, so
      // they are read and not assumed.
      return FinishedFile(
        path: FilePath.joined(place.directory.path, name), identity: try file.status().identity)
    } catch let failure as TransferFailure {
      throw failure
    } catch let error as Errno {
      throw error.failure(.directory(place.directory.path))
    } catch {
      throw TransferFailure(.internalProblem, on: resumeData.partialPath, detail: "\(error)")
    }
  }

  package func finishedFile(of resumeData: ResumeData) -> FinishedFile? {
    guard let place = try? PartialPlace(resumeData, calls) else { return nil }
    // While the partial file stands, a second name is the trace of a rename by link(2) that was cut
    // short; `finish` completes it.
    if (try? place.status()) != nil { return nil }
    for name in FileName.candidates(for: resumeData.finalName) {
      // The rename took the first name that was free then, so a gap is the end unless something
      // was deleted since; that is not guessed at.
      guard let status = try? place.directory.status(of: name) else { return nil }
      if (try? place.isOurs(status)) == true,
        status.identity.byteCount == resumeData.wholeByteCount
      {
        // What a crash cut short may be the sync of the directory.
        guard (try? place.directory.sync()) != nil else { return nil }
        return FinishedFile(
          path: FilePath.joined(place.directory.path, name), identity: status.identity)
      }
    }
    return nil
  }

  /// Answers the name that the file got.
  private func rename(
    _ place: PartialPlace, _ file: OpenFile, _ status: FileStatus, to finalName: String,
    _ onConflict: ConflictPolicy
  ) throws -> String {
    for name in FileName.candidates(for: finalName) {
      if let there = try place.directory.status(of: name) {
        if there.identity.isSameInode(as: status.identity) {
          // Both names are the same file since a rename by link(2) was cut short; rename(2) does
          // nothing then.
          try place.directory.remove(place.name)
          return name
        }
        switch onConflict {
        case .rename: continue
        case .skip: throw taken(name, in: place.directory)
        case .replace:
          try replace(there, name, with: place, file)
          return name
        }
      }
      do {
        try freeNameRename.rename(place.name, to: name, in: place.directory)
        return name
      } catch {
        guard error.rawValue == EEXIST else { throw error }
        switch onConflict {
        // The name was taken since it was looked at: the next one, or the same decision again.
        case .rename: continue
        case .skip, .replace: throw taken(name, in: place.directory)
        }
      }
    }
    throw taken(finalName, in: place.directory)
  }

  /// Only a regular file is replaced: what was asked for is another file, not the end of a
  /// directory, a FIFO, a device or a link to somewhere.
  private func replace(
    _ there: FileStatus, _ name: String, with place: PartialPlace, _ file: OpenFile
  ) throws {
    guard there.isRegular else { throw taken(name, in: place.directory) }
    // Whoever could not read the old file shall not read the new one (CVE-2022-32207).
    let permissions = try file.status().permissions & there.permissions
    try file.setPermissions(permissions)
    try place.directory.rename(place.name, replacing: name)
  }

  private func taken(_ name: String, in directory: Directory) -> TransferFailure {
    TransferFailure(.nameTaken, on: FilePath.joined(directory.path, name))
  }
}

extension ResumeData {
  /// The size of the finished file.
  var wholeByteCount: Int64 { totalByteCount ?? held.prefixByteCount }
}

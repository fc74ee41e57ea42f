import Glibc
import KettleScheduler
import KettleEngine
import KettleModel

extension POSIXFileStorage {
  package func finish(
    _ resumeData: ResumeData, onConflict: ConflictPolicy
  ) throws(TransferFailure) -> FinishedFile {
    var directories = OpenDirectories(calls)
    let named = try rename(
      FileToFinish(resumeData: resumeData, onConflict: onConflict), in: &directories)
    return try directories.synced(named)
  }

  package func finish(_ files: [FileToFinish]) -> [Result<FinishedFile, TransferFailure>] {
    var directories = OpenDirectories(calls)
    let renamed = files.map { file in
      Result { () throws(TransferFailure) in try rename(file, in: &directories) }
    }
    return renamed.map { named in
      Result { () throws(TransferFailure) in try directories.synced(named.get()) }
    }
  }

  /// A file that has its final name, which a power cut may still take away.
  struct Renamed {
    let directory: Directory
    let name: String
    let identity: FileIdentity
  }

  private func rename(
    _ file: FileToFinish, in directories: inout OpenDirectories
  ) throws(TransferFailure) -> Renamed {
    let resumeData = file.resumeData
    let place = try PartialPlace(resumeData, in: &directories)
    let (open, status) = try place.open(.read)
    guard status.identity.byteCount == resumeData.wholeByteCount else {
      throw place.changed("it has another size than it had")
    }
    // It was shortened and made longer again: what was in between is gone, at the right size.
    guard !open.hasHole(inFirst: resumeData.wholeByteCount) else {
      throw place.changed("a part of it is missing")
    }
    do {
      let name = try rename(place, open, status, to: resumeData.finalName, file.onConflict)
      // Between the look at the partial file and the rename somebody may have put another in its
      // place, and that one got the name. What it is now is what a later deletion is measured by.
      guard let there = try place.directory.status(of: name),
        there.identity.isSameInode(as: status.identity)
      else { throw place.changed("it is another file") }
      return Renamed(directory: place.directory, name: name, identity: there.identity)
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
      do {
        try freeNameRename.rename(place.name, to: name, in: place.directory)
        return name
      } catch {
        guard error.rawValue == EEXIST else { throw error }
      }
      let there = try place.directory.status(of: name)
      if let there, there.identity.isSameInode(as: status.identity) {
        // Both names are the same file since a rename by link(2) was cut short; rename(2) does
        // nothing then.
        try place.directory.remove(place.name)
        return name
      }
      switch onConflict {
      case .rename: continue
      case .skip:
        throw taken(name, in: place.directory, try place.directory.reasonNotAFile(name))
      case .replace:
        // What had the name has gone since: nothing is replaced unseen.
        guard let there else { throw taken(name, in: place.directory) }
        try replace(there, name, with: place, file)
        return name
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

  private func taken(
    _ name: String, in directory: Directory, _ detail: String? = nil
  ) -> TransferFailure {
    TransferFailure(.nameTaken, on: FilePath.joined(directory.path, name), detail: detail)
  }
}

extension ResumeData {
  /// The size of the finished file.
  var wholeByteCount: Int64 { totalByteCount ?? held.prefixByteCount }
}

import Glibc
import KettleEngine
import KettleModel
import KettleSystem

extension POSIXFileStorage {
  /// The files beside an unfinished one in which programs note which pieces they have: the bytes
  /// in between were never fetched.
  static let pieceNotes = [".aria2": "aria2", ".st": "axel", ".lftp-pget-status": "lftp"]

  package func fileToContinue(at path: String) throws(TransferFailure) -> ForeignFile? {
    guard let filePath = FilePath(path),
      let directory = try? Directory(filePath.directory, calls: calls)
    else { return nil }
    do {
      guard let status = try directory.status(of: filePath.name) else { return nil }
      if let reason = try reason(against: filePath.name, status, in: directory) {
        throw TransferFailure(.notContinued, on: path, detail: reason)
      }
      let file = try directory.open(filePath.name, for: .read)
      let opened = try file.status()
      guard opened.isRegular else {
        throw TransferFailure(.notContinued, on: path, detail: "it is not a regular file")
      }
      guard !file.hasHole(inFirst: opened.identity.byteCount) else {
        throw TransferFailure(
          .notContinued, on: path, detail: "it has gaps, as of a program that writes in pieces")
      }
      var identity = opened.identity
      identity.sample = try file.sample(ofFirst: identity.byteCount)
      return ForeignFile(
        path: path, identity: identity,
        permissions: FilePermissions(mask: ~UInt32(opened.permissions)))
    } catch let failure as TransferFailure {
      throw failure
    } catch let error as Errno {
      throw TransferFailure(.notContinued, on: path, detail: error.name)
    } catch {
      throw TransferFailure(.internalProblem, on: path, detail: "\(error)")
    }
  }

  /// Returns why an entry cannot be the beginning of a file; nil if it can.
  private func reason(
    against name: String, _ status: FileStatus, in directory: Directory
  ) throws(Errno) -> String? {
    switch status.kind {
    case .regular: break
    case .directory: return "it is a directory"
    case .link: return "it is a link; name the file that it leads to"
    case .special: return "it is not a regular file"
    }
    for (suffix, program) in Self.pieceNotes.sorted(by: { $0.key < $1.key }) {
      if try directory.status(of: name + suffix) != nil {
        let note = (name + suffix).sanitizedForDisplay(limit: 100)
        return "\(note) says that \(program) writes it in pieces; finish it with that"
      }
    }
    return nil
  }

  /// How much is copied between two looks at whether to go on.
  static let copiedByteCountMax: Int64 = 8 << 20

  package func copy(
    _ file: ForeignFile, into partial: any PartialFile, advance: @Sendable (Int64) -> Bool
  ) throws(TransferFailure) {
    guard let filePath = FilePath(file.path), let partial = partial as? POSIXPartialFile else {
      throw TransferFailure(.internalProblem, on: file.path)
    }
    let source = try unchanged(file, at: filePath)
    let total = file.identity.byteCount
    guard advance(0) else { throw TransferFailure(.cancelled, on: file.path) }
    if try !partial.clone(source, byteCount: total) {
      if let free = freeBytes(at: filePath.directory), free < total {
        throw TransferFailure(
          .diskFull, on: filePath.directory, detail: "\(total) bytes needed, \(free) free")
      }
      try copy(source, of: file, into: partial, advance: advance)
    }
    _ = try unchanged(file, at: filePath)
  }

  private func copy(
    _ source: OpenFile, of file: ForeignFile, into partial: POSIXPartialFile,
    advance: (Int64) -> Bool
  ) throws(TransferFailure) {
    var offset: Int64 = 0
    while offset < file.identity.byteCount {
      let byteCount = min(Self.copiedByteCountMax, file.identity.byteCount - offset)
      let count = try partial.copy(source, at: offset, byteCount: Int(byteCount))
      guard count > 0 else { throw Self.changed(file) }
      offset += Int64(count)
      guard advance(offset) else { throw TransferFailure(.cancelled, on: file.path) }
    }
  }

  private static func changed(_ file: ForeignFile) -> TransferFailure {
    TransferFailure(.notContinued, on: file.path, detail: "another program writes to it")
  }

  /// Opens the file. Throws if it is no longer what was found.
  private func unchanged(
    _ file: ForeignFile, at path: FilePath
  ) throws(TransferFailure) -> OpenFile {
    do throws(Errno) {
      let directory = try Directory(path.directory, calls: calls)
      let open = try directory.open(path.name, for: .read)
      if try file.identity.isUnchanged(path.name, open.status(), in: directory) { return open }
    } catch {
      guard error.rawValue == ENOENT else {
        throw TransferFailure(.notContinued, on: file.path, detail: error.name)
      }
    }
    throw Self.changed(file)
  }
}

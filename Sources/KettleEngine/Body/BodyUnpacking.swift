import KettleModel
import KettleScheduler
import KettleSystem

/// Unpacks a complete partial file into a new one. Blocks.
struct BodyUnpacking: Sendable {
  let files: any FileStorage
  let id: TransferID
  let spec: TransferSpec
  /// How much free space was not enough before; nil if there was no such attempt.
  let tooFewFreeBytes: Int64?

  struct End: Sendable {
    var result: Result<ResumeData, TransferFailure>
    /// How much free space was not enough; nil if there was enough. Without it, a disk that is
    /// nearly full would be filled again and again.
    var tooFewFreeBytes: Int64?
    /// Of the unpacked file.
    var digests: [DigestedBytes] = []
  }

  func run(_ resumeData: ResumeData, shouldStop: @Sendable () -> Bool) -> End {
    let directory = String(resumeData.partialDirectory)
    let free = files.freeBytes(at: directory)
    let tooFew = tooFewFreeBytes ?? resumeData.durable.prefixByteCount - 1
    if let free, free <= tooFew {
      let failure = TransferFailure(
        .diskFull, on: directory, detail: "more than \(tooFew) bytes needed, \(free) free")
      return End(result: .failure(failure), tooFewFreeBytes: tooFewFreeBytes)
    }
    let result = Result { () throws(TransferFailure) in
      try unpack(resumeData, shouldStop: shouldStop)
    }
    var end = End(result: result)
    switch result {
    case .success(let unpacked):
      // Without them the file cannot be compared later, and nothing else is wrong.
      end.digests =
        (try? files.digests(ofFileAt: unpacked.partialPath) { _ in !shouldStop() }) ?? []
    case .failure(let failure): if failure.code == .diskFull { end.tooFewFreeBytes = free }
    }
    return end
  }

  private func unpack(
    _ resumeData: ResumeData, shouldStop: @Sendable () -> Bool
  ) throws(TransferFailure) -> ResumeData {
    let file: any PartialFile
    do {
      file = try files.createPartialFile(insteadOf: resumeData)
    } catch {
      removeSetAside(of: resumeData, after: error)
      throw error
    }
    let identity = PartialIdentity(path: file.path, device: file.device, inode: file.inode)
    files.noteUnrecorded(identity, of: id)
    do throws(TransferFailure) {
      if spec.task == nil { file.setPermissions(spec.options.permissions ?? .usual) }
      if spec.checksum != nil { file.keepInMemory() }
      let byteCount = try files.unpack(resumeData, into: file, shouldStop: shouldStop)
      let modifiedNanoseconds = try file.sync()
      // Only one file is set aside, and now it is the compressed one.
      if let older = resumeData.setAside { files.removePartialFile(older) }
      var unpacked = resumeData.unpacked(into: identity, byteCount: byteCount)
      unpacked.lastWriteNanoseconds = modifiedNanoseconds
      unpacked.sample = file.sample(ofFirst: byteCount)
      return unpacked
    } catch {
      files.removePartialFile(identity)
      if error.code == .partialFileChanged, error.subject == identity.path {
        // Only the unpacked file was changed.
        throw TransferFailure(.fileProblem, on: identity.path, detail: error.detail)
      }
      removeSetAside(of: resumeData, after: error)
      throw error
    }
  }

  /// If the compressed file is no longer the one that was made, the transfer starts again, and no
  /// record will name the file that was set aside.
  private func removeSetAside(of resumeData: ResumeData, after failure: TransferFailure) {
    guard failure.code == .partialFileChanged, let other = resumeData.setAside else { return }
    files.removePartialFile(other)
  }
}

/// Work on a file that takes long, and can be stopped.
final class LiveFileWork: Sendable {
  enum Kind: Sendable {
    case unpacking
    /// Comparing its blocks with their digests.
    case comparing
    /// Sending it to an object store.
    case storing
  }

  let operation: OperationID
  private let kind: Kind
  private let isAbandoned = Mutex(false)
  private let done = Mutex<Int64>(0)

  init(_ operation: OperationID, _ kind: Kind) {
    self.operation = operation
    self.kind = kind
  }

  var shouldStop: Bool { isAbandoned.withLock { $0 } }

  func abandon() { isAbandoned.withLock { $0 = true } }

  /// The number of bytes compared with their digests; nil if something else is done.
  var comparedByteCount: Int64? { kind == .comparing ? done.withLock { $0 } : nil }

  /// The number of bytes that an object store has; nil if something else is done.
  var storedByteCount: Int64? { kind == .storing ? done.withLock { $0 } : nil }

  /// Notes how many bytes are compared or stored. Returns whether to go on.
  func advance(to byteCount: Int64) -> Bool {
    done.withLock { $0 = byteCount }
    return !shouldStop
  }
}

extension ResumeData {
  /// The resume data of the unpacked file, with the compressed one set aside: it is deleted when
  /// the unpacked one has its name.
  fileprivate func unpacked(into identity: PartialIdentity, byteCount: Int64) -> ResumeData {
    var unpacked = self
    unpacked.partialPath = identity.path
    unpacked.device = identity.device
    unpacked.inode = identity.inode
    unpacked.durable = ByteRangeSet(prefix: byteCount)
    unpacked.totalByteCount = byteCount
    unpacked.contentCoding = nil
    unpacked.serverChecksum = nil
    unpacked.setAside = partialIdentity
    return unpacked
  }
}

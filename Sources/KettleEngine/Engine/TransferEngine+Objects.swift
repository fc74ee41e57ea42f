import KettleModel
import KettleScheduler
import Logging

/// Object stores as destinations.
extension TransferEngine {
  /// Sends the parts of a complete file, away from the engine. An upload that does not exist yet is
  /// only begun: it must be recorded first.
  func store(_ resumeData: ResumeData, of id: TransferID, as operation: OperationID) {
    // It may have been paused during the commit.
    guard let machine = scheduler.machines[id], machine.isVerifying(operation),
      let file = fileToStore(resumeData, of: id)
    else { return }
    let work = LiveFileWork(operation, .storing)
    live[id].work = work
    let pool = file.upload == nil ? files.stores : files.uploads
    pool.async { [inbox, storing = ObjectStoring(files)] in
      guard !work.shouldStop else { return }
      let outcome = Result { () throws(TransferFailure) -> ObjectUpload? in
        guard let upload = file.upload else { return try storing.objects.begin(file) }
        try storing.send(file, as: upload, from: resumeData) { byteCount in
          let goesOn = work.advance(to: byteCount)
          _ = inbox.put(.advanced(id))
          return goesOn
        }
        return nil
      }
      _ = inbox.put(.stored(id, operation, file.destination, outcome))
    }
  }

  /// - Parameter outcome: an upload that has begun, or nil when all parts are sent.
  func stored(
    _ outcome: Result<ObjectUpload?, TransferFailure>, of id: TransferID,
    by operation: OperationID, in destination: ObjectDestination
  ) {
    // A stopped upload is no failure: it continues with the transfer.
    guard live[id].work?.operation == operation else {
      // No record names one that has just begun.
      if case .success(let upload?) = outcome { abort(upload, in: destination) }
      return
    }
    switch outcome {
    case .success(let upload?): apply(.file(id, .uploadBegun(upload, by: operation)))
    case .success(nil):
      live[id].work = nil
      apply(.file(id, .stored(nil, by: operation)))
    case .failure(let failure):
      live[id].work = nil
      apply(.file(id, .stored(failure, by: operation)))
    }
  }

  /// Makes a complete file an object.
  func publish(_ resumeData: ResumeData, of id: TransferID, as operation: OperationID) {
    guard let file = fileToStore(resumeData, of: id) else { return }
    files.stores.async { [inbox, storing = ObjectStoring(files)] in
      let result = Result { () throws(TransferFailure) in
        try storing.publish(file, from: resumeData)
      }
      _ = inbox.put(.event(.file(id, .placed(result, by: operation))))
    }
  }

  /// nil for a file whose destination is a directory.
  private func fileToStore(_ resumeData: ResumeData, of id: TransferID) -> FileToStore? {
    guard let spec = scheduler.machines[id]?.spec, let destination = ObjectDestination(spec) else {
      return nil
    }
    var file = FileToStore(
      transfer: id, destination: destination, name: resumeData.finalName,
      path: resumeData.partialPath, byteCount: resumeData.durable.prefixByteCount,
      modifiedNanoseconds: resumeData.lastWriteNanoseconds ?? 0, onConflict: spec.onConflict,
      upload: resumeData.upload)
    file.mediaType = resumeData.mediaType
    return file
  }

  /// Discards the parts that a store has of an upload.
  func abortUpload(of resumeData: ResumeData, for id: TransferID) {
    guard let upload = resumeData.upload, let spec = scheduler.machines[id]?.spec,
      let destination = ObjectDestination(spec)
    else { return }
    abort(upload, in: destination)
  }

  private func abort(_ upload: ObjectUpload, in destination: ObjectDestination) {
    files.stores.async { [objects = files.objects, logger] in
      do throws(TransferFailure) {
        try objects.abort(upload, in: destination)
      } catch {
        logger.error(
          "The parts of an upload stay in their store",
          metadata: [
            "object": "s3://\(destination.prefix.bucket)/\(upload.key)",
            "upload": "\(upload.uploadID)", "error": "\(error.sentence)",
          ])
      }
    }
  }
}

/// The way of a partial file into an object store. Blocks.
struct ObjectStoring: Sendable {
  let objects: any ObjectStore
  private let storage: any FileStorage

  init(_ files: FileWork) {
    objects = files.objects
    storage = files.storage
  }

  func send(
    _ file: FileToStore, as upload: ObjectUpload, from resumeData: ResumeData,
    advance: @Sendable (Int64) -> Bool
  ) throws(TransferFailure) {
    do throws(TransferFailure) {
      try objects.send(checked(file, resumeData), as: upload, advance: advance)
    } catch {
      // The file is fetched again, and its parts are of no use to the next upload.
      if error.code == .partialFileChanged { try? objects.abort(upload, in: file.destination) }
      throw error
    }
  }

  func publish(
    _ file: FileToStore, from resumeData: ResumeData
  ) throws(TransferFailure) -> FinishedFile {
    let finished = try objects.publish(checked(file, resumeData))
    // The record is about to forget it, and a kill may precede its removal.
    storage.noteUnrecorded(resumeData.partialIdentity, of: file.transfer)
    return finished
  }

  /// Throws `partialFileChanged` for a file that is not as it was recorded. Returns it with its
  /// modification time, which a crash leaves unrecorded.
  private func checked(
    _ file: FileToStore, _ resumeData: ResumeData
  ) throws(TransferFailure) -> FileToStore {
    var file = file
    file.modifiedNanoseconds = try storage.openPartialFile(resumeData).sync()
    return file
  }
}

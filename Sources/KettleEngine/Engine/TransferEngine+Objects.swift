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
    files.uploads.async { [inbox, objects = files.objects] in
      let outcome = Result { () throws(TransferFailure) -> ObjectUpload? in
        guard let upload = file.upload else { return try objects.begin(file) }
        try objects.send(file, as: upload) { byteCount in
          let goesOn = work.advance(to: byteCount)
          _ = inbox.put(.advanced(id))
          return goesOn
        }
        return nil
      }
      _ = inbox.put(.stored(id, operation, outcome))
    }
  }

  /// - Parameter outcome: an upload that has begun, or nil when all parts are sent.
  func stored(
    _ outcome: Result<ObjectUpload?, TransferFailure>, of id: TransferID,
    by operation: OperationID
  ) {
    guard scheduler.machines[id]?.isVerifying(operation) == true else {
      // It was paused or removed meanwhile, and no record names the upload.
      if case .success(let upload?) = outcome, let spec = scheduler.machines[id]?.spec {
        abort(upload, in: ObjectDestination(spec))
      }
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
  func publish(_ file: FileToStore, of id: TransferID, as operation: OperationID) {
    files.uploads.async { [inbox, objects = files.objects] in
      let result = Result { () throws(TransferFailure) in try objects.publish(file) }
      _ = inbox.put(.event(.file(id, .placed(result, by: operation))))
    }
  }

  /// nil for a file whose destination is a directory.
  func fileToStore(_ resumeData: ResumeData, of id: TransferID) -> FileToStore? {
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
    guard let upload = resumeData.upload, let spec = scheduler.machines[id]?.spec else { return }
    abort(upload, in: ObjectDestination(spec))
  }

  private func abort(_ upload: ObjectUpload, in destination: ObjectDestination?) {
    guard let destination else { return }
    files.uploads.async { [objects = files.objects, logger] in
      do throws(TransferFailure) {
        try objects.abort(upload, in: destination)
      } catch {
        logger.error(
          "the parts of an upload stay in their store until its own rules remove them",
          metadata: ["object": "\(destination.prefix.text)", "reason": "\(error.sentence)"])
      }
    }
  }
}

import KettleModel

extension TransferMachine {
  /// Actions returned by `digestComputed(…)`.
  package enum DigestAction: Sendable, Hashable {
    /// The transfer was paused, stopped or removed meanwhile.
    case nothing
    case placeFile(OperationID, ResumeData)
    /// The bytes are wrong and are not kept.
    case discardPartialFile(OperationID, ResumeData)
  }

  /// Actions returned by `placed(…)`.
  package enum PlacedAction: Sendable, Hashable {
    case nothing
    case deleteFinishedFile(FinishedFile)
    case discardPartialFile(OperationID, ResumeData)
  }

  enum Finish {
    case digest(Checksum.Algorithm)
    case place
  }

  /// The resume data, if nothing is left to fetch.
  var wholeResumeData: ResumeData? {
    guard let resumeData = record.resumeData, let total = resumeData.totalByteCount,
      resumeData.isWhole || resumeData.held.prefixByteCount == total
    else { return nil }
    return resumeData
  }

  /// The user's checksum has precedence over the server's.
  private var expectedChecksum: Checksum? {
    // The checksum is of the file. A page in its place cannot match, and its status says enough.
    guard takesFile else { return nil }
    return record.spec.checksum ?? record.resumeData?.serverChecksum
  }

  /// Verifies if a checksum was given and not compared yet, else places the file.
  mutating func finish(_ resumeData: ResumeData, operation: OperationID) -> Finish {
    if let checksum = expectedChecksum, !resumeData.isWhole {
      enter(.verifying(operation))
      return .digest(checksum.algorithm)
    }
    enterPlacing(operation)
    return .place
  }

  private mutating func enterPlacing(_ operation: OperationID) {
    // Recorded before the rename, so that recovery knows that the name may already be final.
    record.resumeData?.isWhole = true
    enter(.placing(operation, next: .completed))
  }

  /// The digest of the whole partial file is known, or could not be computed.
  package mutating func digestComputed(
    _ result: Result<String, TransferFailure>, by operation: OperationID, next: OperationID,
    at now: Moment
  ) -> DigestAction {
    guard state == .verifying(operation), let resumeData = record.resumeData,
      let expected = expectedChecksum
    else { return .nothing }
    switch result {
    case .success(expected.hex):
      enterPlacing(next)
      return .placeFile(next, record.resumeData ?? resumeData)
    case .success(let found):
      let failure = TransferFailure(
        .checksumMismatch, on: resumeData.finalName,
        detail: "expected \(expected.text), found \(found)")
      record.finishedAt = now.wall
      enter(.discarding(next, next: .failed(failure)))
      return .discardPartialFile(next, resumeData)
    case .failure(let failure):
      record.finishedAt = now.wall
      enter(.failed(failure))
      return .nothing
    }
  }

  /// The rename succeeded or failed.
  package mutating func placed(
    _ result: Result<FinishedFile, TransferFailure>, by operation: OperationID, at now: Moment
  ) -> PlacedAction {
    guard case .placing(operation, let next) = state else { return .nothing }
    switch (result, next) {
    case (.success(let file), .completed):
      record.resumeData = nil
      record.finishedFile = file
      record.finishedAt = now.wall
      enter(.completed)
      return .nothing
    case (.success(let file), .removed(let fate)):
      record.resumeData = nil
      enter(.removed)
      return fate == .goes ? .deleteFinishedFile(file) : .nothing
    case (.failure(let failure), .completed):
      return placingFailed(failure, operation, at: now)
    case (.failure(let failure), .removed):
      guard let resumeData = record.resumeData, failure.code != .partialFileChanged else {
        enter(.removed)
        return .nothing
      }
      enter(.discarding(operation, next: .removed))
      return .discardPartialFile(operation, resumeData)
    }
  }

  private mutating func placingFailed(
    _ failure: TransferFailure, _ operation: OperationID, at now: Moment
  ) -> PlacedAction {
    if failure.code == .partialFileChanged {
      // On a file system that reports another inode each time this would never end.
      freshStartCount += 1
      if freshStartCount <= Self.freshStartCountMax {
        record.resumeData = nil
        record.freshStart = .partialFileChanged
        enter(.queued)
        return .nothing
      }
    }
    record.finishedAt = now.wall
    if failure.isOfFileThere, record.spec.onConflict == .skip {
      let left = record.resumeData
      record.resumeData = nil
      record.finishedFile = FinishedFile(path: failure.subject, identity: nil)
      enter(.completed)
      return left.map { .discardPartialFile(operation, $0) } ?? .nothing
    }
    enter(.failed(failure))
    return .nothing
  }
}

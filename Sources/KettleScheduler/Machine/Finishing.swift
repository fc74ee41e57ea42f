import KettleModel

/// The steps without a request: the comparison after a crash, the wait for the members of a
/// collection, and what follows the last byte: the digest, the unpacking, the upload to an object
/// store, the final name, and the deletion of a partial file.
struct Finishing: Sendable {
  /// Identifies the step that begins.
  let operation: OperationID

  init(_ operation: OperationID) { self.operation = operation }

  // MARK: A free slot

  /// Does what needs no request: compares durable bytes after a crash, or finishes a complete file.
  /// Returns nil if a request comes next.
  func beginWithoutRequest(_ facts: inout TransferFacts, at now: Moment) -> Transition? {
    if let target = facts.spec.options.repairs, facts.resumeData == nil {
      // It would fetch the whole file, beside the one that it repairs.
      facts.finishedAt = now.wall
      return .entering(.failed(.unrepaired(target, because: .partialFileChanged)))
    }
    if facts.spec.options.collection?.list != nil {
      facts.spec.options.collection?.pausesWhenListed = nil
      return .entering(.waiting(facts.waitingForMembers))
    }
    if facts.trust == .uncertain, let resumeData = facts.resumeData {
      return .entering(
        .verifying(operation), [.checkBlocks(facts.id, operation, resumeData)])
    }
    guard let whole = facts.wholeResumeData else { return nil }
    // No response will report the offset, and the last byte came from before as well.
    if let total = whole.totalByteCount { facts.task?.recordResumption(at: total) }
    return begin(&facts, with: whole)
  }

  // MARK: Digest and name

  /// Verifies, unpacks or places the file: what comes next. A web page in place of the file waits
  /// for the user's decision.
  func begin(_ facts: inout TransferFacts, with resumeData: ResumeData) -> Transition {
    if facts.hasPageInstead {
      let failure = TransferFailure(.webPage, on: facts.urlText)
      return .entering(
        .waiting(.forEvent(.needsDecision, failure)), [.readTitle(facts.id, resumeData)])
    }
    return verify(&facts, resumeData)
  }

  /// Computes the digest if a checksum was given and not compared yet. The server's is of the bytes
  /// as they were sent, the user's of the unpacked file.
  private func verify(_ facts: inout TransferFacts, _ resumeData: ResumeData) -> Transition {
    guard let checksum = facts.expectedChecksum, !resumeData.isWhole else {
      return unpack(&facts, resumeData)
    }
    return .entering(
      .verifying(operation),
      [.computeDigest(facts.id, operation, resumeData, checksum.algorithm)])
  }

  /// Unpacks the file if it is compressed and that was requested, else stores or places it.
  private func unpack(_ facts: inout TransferFacts, _ resumeData: ResumeData) -> Transition {
    guard facts.acceptsFile, facts.spec.unpacks(resumeData) else {
      return store(&facts, resumeData)
    }
    return .entering(
      .verifying(operation), [.unpackFile(facts.id, operation, resumeData)])
  }

  /// Sends the parts of a large file to its destination, if that is not a directory. They become an
  /// object, as a small file does in one request, when the file is placed.
  private func store(_ facts: inout TransferFacts, _ resumeData: ResumeData) -> Transition {
    guard facts.spec.objectPrefix != nil, !resumeData.isWhole,
      resumeData.durable.prefixByteCount > ObjectUpload.wholeByteCountMax
    else { return place(&facts) }
    return .entering(.verifying(operation), [.storeFile(facts.id, operation, resumeData)])
  }

  private func place(_ facts: inout TransferFacts) -> Transition {
    // Recorded before the rename, so that recovery knows that the name may already be final.
    facts.resumeData?.isWhole = true
    let actions = facts.resumeData.map {
      [TransferAction.placeFile(facts.id, operation, $0, facts.spec.onConflict)]
    }
    return .entering(.placing(operation, next: .completed), actions ?? [])
  }

  /// The digest of the whole partial file is known, or could not be computed.
  func digestComputed(
    _ result: Result<String, TransferFailure>, _ facts: inout TransferFacts, at now: Moment
  ) -> Transition {
    guard let resumeData = facts.resumeData, let expected = facts.expectedChecksum else {
      return .none
    }
    switch result {
    case .success(expected.hex): return unpack(&facts, resumeData)
    case .success(let found):
      let failure = TransferFailure(
        .checksumMismatch, on: resumeData.finalName,
        detail: "expected \(expected.text), found \(found)" + facts.sourcesOfMismatch)
      facts.mirrors.recordMismatch()
      // The next run reads the list again: it may have been corrected.
      if facts.spec.options.checksumURL != nil { facts.spec.checksum = nil }
      facts.finishedAt = now.wall
      return discard(&facts, next: .failed(failure))
    case .failure(let failure):
      facts.finishedAt = now.wall
      return .entering(.failed(failure))
    }
  }

  /// The file is unpacked, or cannot be. Until its new resume data is recorded, the compressed
  /// bytes stay the file: after a crash they are unpacked again.
  func fileUnpacked(
    _ result: Result<ResumeData, TransferFailure>, _ facts: inout TransferFacts,
    in context: DecisionContext
  ) -> Transition {
    switch result {
    case .success(let resumeData):
      facts.resumeData = resumeData
      if let known = facts.spec.options.described?.byteCount,
        let total = resumeData.totalByteCount, total != known
      {
        facts.mirrors.recordMismatch()
        facts.finishedAt = context.now.wall
        return discard(
          &facts, next: .failed(.otherSize(total, than: known, at: facts.spec.url)))
      }
      return verify(&facts, resumeData)
    case .failure(let failure):
      if let fresh = fetchAgain(after: failure, &facts) { return fresh }
      if failure.code == .diskFull {
        let milliseconds = context.retryPolicy.diskSpaceMilliseconds
        return .entering(
          .waiting(.retrying(after: milliseconds, .diskSpace, failure, at: context.now)))
      }
      facts.finishedAt = context.now.wall
      return .entering(.failed(failure))
    }
  }

  /// The destination has begun an upload in parts. None is sent before that is recorded.
  func uploadBegun(_ upload: ObjectUpload, _ facts: inout TransferFacts) -> Transition {
    facts.resumeData?.upload = upload
    return facts.resumeData.map { store(&facts, $0) } ?? .none
  }

  /// All parts are sent, or could not be: `failure` says why.
  func fileStored(
    _ failure: TransferFailure?, _ facts: inout TransferFacts, in context: DecisionContext
  ) -> Transition {
    failure.map { storingFailed($0, &facts, in: context) } ?? place(&facts)
  }

  /// What may pass is waited for, and the destination keeps the parts that it has. An upload that
  /// it has lost begins again, a few times.
  private func storingFailed(
    _ failure: TransferFailure, _ facts: inout TransferFacts, in context: DecisionContext
  ) -> Transition {
    if let fresh = fetchAgain(after: failure, &facts) { return fresh }
    if failure.code == .uploadGone {
      facts.resumeData?.upload = nil
      facts.resumeData?.isWhole = false
      facts.repetitions.recordLostUpload()
      if facts.repetitions.permitsUploadingAgain { return .entering(.queued) }
    } else if let waiting = facts.waitForStore(after: failure, in: context) {
      return .entering(.waiting(waiting))
    }
    facts.finishedAt = context.now.wall
    return .entering(.failed(failure))
  }

  /// The file has its final name, or could not get it.
  func placed(
    _ result: Result<FinishedFile, TransferFailure>, next: TransferMachine.AfterPlacing,
    _ facts: inout TransferFacts, in context: DecisionContext
  ) -> Transition {
    switch (result, next) {
    case (.success, .completed) where facts.spec.options.repairs != nil:
      facts.resumeData = nil
      return .entering(.removed)
    case (.success(var file), .completed):
      file.verifiedBy = facts.expectedChecksum?.algorithm ?? facts.algorithmOfPieces
      if facts.resumeData?.isProvedByBytes != true {
        file.entityTag = facts.resumeData?.validator?.strongEntityTag
      }
      file.contentCoding = facts.resumeData?.contentCoding
      facts.finishedFile = file
      // An object is not the partial file under another name, and its upload is over.
      facts.resumeData?.upload = nil
      let left = file.object == nil ? [] : discardingCopy(of: facts)
      facts.resumeData = nil
      facts.taskStatus?.uploadResumption = nil
      facts.finishedAt = context.now.wall
      return .entering(.completed, left)
    case (.success(let file), .removed(let fate)):
      if file.object != nil {
        facts.resumeData?.upload = nil
        let left = discardingCopy(of: facts)
        facts.resumeData = nil
        return .entering(.removed, left)
      }
      facts.resumeData = nil
      return .entering(
        .removed,
        fate == .goes
          ? [.discardFinishedFile(facts.id, file, binAction: facts.binAction)] : [])
    case (.failure(let failure), .completed):
      return placingFailed(failure, &facts, in: context)
    case (.failure(let failure), .removed):
      guard facts.resumeData != nil, failure.code != .partialFileChanged else {
        return .entering(.removed)
      }
      return discard(&facts, next: .removed)
    }
  }

  private func placingFailed(
    _ failure: TransferFailure, _ facts: inout TransferFacts, in context: DecisionContext
  ) -> Transition {
    guard failure.isOfFileThere, facts.spec.onConflict == .skip else {
      return storingFailed(failure, &facts, in: context)
    }
    let left = discardingCopy(of: facts)
    facts.resumeData = nil
    facts.finishedFile = FinishedFile(path: failure.subject, identity: nil)
    facts.finishedAt = context.now.wall
    return .entering(.completed, left)
  }

  /// Deletes the partial file, which is not needed any more.
  private func discardingCopy(of facts: TransferFacts) -> [TransferAction] {
    facts.resumeData.map { [.discardPartialFile(facts.id, operation, $0)] } ?? []
  }

  /// Forgets a complete partial file that another program has changed, once; nil for any other
  /// failure.
  private func fetchAgain(
    after failure: TransferFailure, _ facts: inout TransferFacts
  ) -> Transition? {
    guard failure.code == .partialFileChanged, facts.spec.options.repairs == nil else { return nil }
    facts.repetitions.recordChangedFile()
    guard facts.repetitions.permitsFetchingAgain else { return nil }
    facts.resumeData = nil
    facts.freshStart = .partialFileChanged
    return .entering(.queued)
  }

  // MARK: Deletion

  /// Enters `next`, after deleting the partial file if there is one.
  func discard(
    _ facts: inout TransferFacts, next: TransferMachine.AfterDiscarding
  ) -> Transition {
    guard let resumeData = facts.resumeData else {
      return Self.discarded(&facts, next: next)
    }
    return .entering(
      .discarding(operation, next: next), [.discardPartialFile(facts.id, operation, resumeData)])
  }

  /// The partial file is deleted.
  static func discarded(
    _ facts: inout TransferFacts, next: TransferMachine.AfterDiscarding
  ) -> Transition {
    facts.forgetProgress(before: next)
    return .entering(next.state)
  }
}

extension TransferFacts {
  /// The checksum that the bytes of the partial file are to match.
  fileprivate var expectedChecksum: Checksum? {
    // The checksum is of the file. A page in its place cannot match, and its status says enough.
    // A repair has only parts of it, each with a digest of its own.
    guard acceptsFile, spec.options.repairs == nil, let resumeData else { return nil }
    return spec.checksum(of: resumeData)
  }
}

extension TransferSpec {
  /// Whether the file is to be unpacked before it gets its name.
  func unpacks(_ resumeData: ResumeData) -> Bool {
    options.unpacks && resumeData.contentCoding != nil && !resumeData.isWhole
  }

  /// The checksum of the partial file. The user's is of the file as it will be, and has precedence
  /// over the server's, which is of the bytes as they were sent.
  package func checksum(of resumeData: ResumeData) -> Checksum? {
    unpacks(resumeData)
      ? resumeData.serverChecksum : checksum ?? resumeData.serverChecksum
  }
}

import Dispatch
import TransferCore
import TransferModel

/// Brain → world.
extension TransferEngine {
  func perform(_ action: BrainAction, at now: Moment) {
    switch action {
    case .beginAttempt(let id, let plan): begin(plan, of: id, at: now)
    case .cancelAttempt(let attempt): transport.cancel(attempt)
    case .openBody(let id, let attempt, let plan): openBody(plan, of: attempt, for: id)
    case .letBodyFlow(let attempt): letBodyFlow(attempt)
    case .confirmHeld(let attempt, let held): confirm(held, of: attempt)
    case .discardPartialFile(let id, let operation, let resumeData):
      nameQueue.async { [weak self, files] in
        files.removePartialFile(resumeData)
        self?.post(.discarded(id, operation))
      }
    case .computeDigest(let id, let operation, let resumeData, let algorithm):
      computeDigest(id, operation, resumeData, algorithm)
    case .placeFile(let id, let operation, let resumeData, let policy):
      placeFile(id, operation, resumeData, policy)
    case .deleteFinishedFile(_, let file):
      nameQueue.async { [files] in _ = files.removeFinishedFile(file) }
    }
  }

  private func begin(_ plan: AttemptPlan, of id: TransferID, at now: Moment) {
    attempts[plan.attempt] = LiveAttempt(transfer: id, checkpointedAt: now.monotonic)
    live[id, default: LiveTransfer()].currentURL = plan.url
    transport.begin(
      AttemptRequest(
        id: plan.attempt, url: plan.url, headers: plan.headers, login: plan.login,
        caCertificatePath: plan.caCertificatePath, limitBytesPerSecond: plan.limitBytesPerSecond,
        timeouts: configuration.timeouts))
  }

  private func openBody(_ plan: BodyPlan, of attempt: AttemptID, for id: TransferID) {
    // The attempt may have ended while the store was busy; its file must not be touched any more.
    guard attempts[attempt] != nil, let record = brain.machines[id]?.record else { return }
    attempts[attempt]?.phase = .opening(ended: nil)
    let opening = BodyOpening(
      files: files, spec: record.spec,
      directory: record.spec.directory ?? configuration.documentsDirectory)
    nameQueue.async { [weak self] in
      let result = Result { () throws(TransferFailure) in try opening.open(plan) }
      self?.post(.bodyOpened(attempt, result))
    }
  }

  private func letBodyFlow(_ attempt: AttemptID) {
    guard case .opened(let writer)? = attempts[attempt]?.phase else { return }
    attempts[attempt]?.phase = .flowing(writer)
    transport.accept(attempt, into: writer)
  }

  private func confirm(_ held: HeldRanges, of attempt: AttemptID) {
    guard let writer = attempts[attempt]?.writer else { return }
    if writer.confirm(upTo: held.prefixByteCount) { transport.resumeReceiving(attempt) }
  }

  private func computeDigest(
    _ id: TransferID, _ operation: OperationID, _ resumeData: ResumeData,
    _ algorithm: Checksum.Algorithm
  ) {
    diskQueue.async { [weak self, files] in
      let result = Result { () throws(TransferFailure) in
        try files.digest(of: resumeData.partialPath, algorithm: algorithm) { false }
      }
      self?.post(.digested(id, operation, result))
    }
  }

  private func placeFile(
    _ id: TransferID, _ operation: OperationID, _ resumeData: ResumeData, _ policy: ConflictPolicy
  ) {
    nameQueue.async { [weak self, files] in
      let result = Result { () throws(TransferFailure) in
        // After a crash the rename may have been done already.
        if let finished = files.finishedFile(of: resumeData) { return finished }
        return try files.finish(resumeData, onConflict: policy)
      }
      self?.post(.placed(id, operation, result))
    }
  }

  /// Puts what an attempt has brought so far on the disk, to go on record then.
  func checkpoint(_ attempt: AttemptID, at now: Moment) {
    guard let writer = attempts[attempt]?.writer else { return }
    attempts[attempt]?.checkpointedAt = now.monotonic
    diskQueue.async { [weak self] in
      let result = Result { () throws(TransferFailure) in try writer.sync() }
      self?.post(.checkpointDone(attempt, result))
    }
  }

  /// Writes and syncs the last bytes of an attempt that is over.
  func drain(_ attempt: AttemptID, _ end: AttemptEnd, _ writer: BodyWriter) {
    attempts[attempt]?.phase = .draining
    diskQueue.async { [weak self] in
      let result = Result { () throws(TransferFailure) in try writer.sync() }
      switch result {
      case .success(let upTo):
        self?.post(.drained(attempt, Self.settled(end, writer: writer), heldUpTo: upTo))
      case .failure(let failure):
        self?.post(.drained(attempt, .failed(failure), heldUpTo: nil))
      }
    }
  }

  static func settled(_ end: AttemptEnd, writer: BodyWriter?) -> SettledEnd {
    switch end {
    case .complete: .complete
    case .cancelled: .cancelled
    case .failed(let failure): .failed(failure)
    case .sinkFailed:
      .failed(writer?.failure ?? TransferFailure(.internalProblem, on: "the partial file"))
    }
  }
}

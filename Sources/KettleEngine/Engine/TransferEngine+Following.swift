import KettleModel
import KettleScheduler

/// What became of a request for a URL that is on the list.
package enum FollowOutcome: Hashable, Sendable {
  /// The transfer leads to what is asked. It has taken over these parts.
  case follows([RequestPart])
  /// The request means another file, or the file is not what was finished: a new transfer is
  /// needed.
  case needsAnother(Reason)
  /// These parts cannot be taken over any more, and nothing was.
  case tooLate([RequestPart], TransferState)
  /// The finished file does not have the checksum, and nothing was taken over.
  case mismatch(path: String, found: String)
  /// The finished file cannot be compared with the checksum.
  case unreadable(TransferFailure)

  package enum Reason: String, Hashable, Sendable, Codable {
    /// There is no such transfer any more.
    case transferGone
    /// It goes to another place, or belongs to another session.
    case otherFile
    case fileGone, fileChanged
  }
}

/// Requests for URLs that are on the list already.
extension TransferEngine {
  /// Lets a transfer take over what a new request for its URL asks, all or nothing, and starts it
  /// if it stands still. Returns when the store has the change.
  package func follow(_ id: TransferID, as asked: TransferSpec) async -> FollowOutcome {
    await withoutEviction {
      await load([id])
      guard let machine = scheduler.machines[id], !machine.isTask else {
        return .needsAnother(.transferGone)
      }
      let difference = RequestDifference(
        from: machine.spec, at: snapshot(of: id)?.path, to: asked)
      if difference.isForAnotherFile { return .needsAnother(.otherFile) }
      if machine.visibleState == .completed, let file = machine.record.finishedFile {
        if let problem = await problem(with: file, difference, asked) { return problem }
      }
      return await takeOver(difference, by: id)
    }
  }

  private func takeOver(_ difference: RequestDifference, by id: TransferID) async -> FollowOutcome {
    // A user may have changed it meanwhile.
    guard let machine = scheduler.machines[id] else { return .needsAnother(.transferGone) }
    let late = difference.parts(tooLateAt: machine.requestProgress)
    guard late.isEmpty else { return .tooLate(late, machine.visibleState) }
    let result = await controlResident(.takeOver(difference), [id], into: nil)
    return result == [.applied] ? .follows(difference.parts) : .needsAnother(.transferGone)
  }

  /// Compares a finished file with what is asked; nil if it is that.
  private func problem(
    with file: FinishedFile, _ difference: RequestDifference, _ asked: TransferSpec
  ) async -> FollowOutcome? {
    let checksum = asked.checksum
    let (standing, found) = await compare(
      file, needsDigest: difference.checksum != nil || file.verifiedBy == nil, checksum?.algorithm)
    switch (standing, found, checksum) {
    case (.missing, _, _): return .needsAnother(.fileGone)
    case (_, .success(let hex), let checksum?) where hex == checksum.hex: return nil
    case (.changed, _, _): return .needsAnother(.fileChanged)
    case (.unchanged, .success(let hex), .some):
      return .mismatch(path: file.path, found: hex)
    case (.unchanged, .failure(let failure), _): return .unreadable(failure)
    case (.unchanged, _, _): return nil
    }
  }

  /// - Parameter needsDigest: whether the digest of an unchanged file is not known.
  private func compare(
    _ file: FinishedFile, needsDigest: Bool, _ algorithm: Checksum.Algorithm?
  ) async -> (FinishedFileStanding, Result<String, TransferFailure>?) {
    await withCheckedContinuation { done in
      digestPool.async { [files] in
        let standing = files.standing(of: file)
        let isNeeded = standing == .changed || (standing == .unchanged && needsDigest)
        guard let algorithm, isNeeded else { return done.resume(returning: (standing, nil)) }
        let digest = Result { () throws(TransferFailure) in
          try files.digest(ofFileAt: file.path, algorithm: algorithm)
        }
        done.resume(returning: (standing, digest))
      }
    }
  }
}

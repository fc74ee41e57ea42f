import KettleModel
import KettleScheduler
import KettleSystem

/// The file of another program under the name of a new one (`TransferOptions.continues`).
///
/// Its bytes are copied and its own file is only read: they may be those of another file, which the
/// next response shows. `FileStorage.finish` replaces it if it is still the same then.
extension BodyOpening {
  /// Whether opening copies a file, which takes long.
  func copies(_ plan: BodyPlan) -> Bool {
    guard case .create(let new) = plan, new.continues, new.old == nil else { return false }
    return (try? files.fileToContinue(at: directory + "/" + name(of: new))) != nil
  }

  /// Creates the partial file with the bytes of another program's file. They get no validator: no
  /// response has had these bytes.
  func continuing(
    _ there: ForeignFile, named name: String, as new: BodyPlan.NewFile,
    following copying: LiveCopying
  ) throws(TransferFailure) -> Opened {
    let byteCount = there.identity.byteCount
    if let total = expectedByteCount(new.total) {
      try checkLargestFile(total, named: name)
      try checkSpace(for: total - byteCount)
    }
    let file = try files.createPartialFile(
      in: directory, preferredName: name, onConflict: .replace)
    // A file that others cannot read has no copy that they can.
    file.setPermissions(permissions.intersection(there.permissions))
    var resumeData = resumeData(of: file, new)
    do throws(TransferFailure) {
      try files.copy(there, into: file) { copying.advance(to: $0) }
      _ = try file.sync()
      if let total = new.total { try checkSpace(for: total - byteCount) }
    } catch {
      files.removePartialFile(resumeData.partialIdentity)
      throw error
    }
    resumeData.durable = ByteRangeSet(prefix: byteCount)
    resumeData.sample = file.sample(ofFirst: byteCount)
    resumeData.continued = there.identity
    // An empty file says nothing that a response would have to prove.
    if byteCount == 0 { resumeData.validator = new.validator }
    return Opened(resumeData: resumeData, file: file)
  }

  /// Refuses a file that is not the beginning of the response, where no other may be made.
  func checkPolicy(_ there: ForeignFile) throws(TransferFailure) {
    guard spec.onConflict == .skip else { return }
    throw TransferFailure(
      .notContinued, on: there.path, detail: "it is not the beginning of this one")
  }

  /// The same for one whose copy a response has shown to be other bytes.
  func checkPolicy(_ old: BodyPlan.Old) throws(TransferFailure) {
    guard old.resumeData.hasUnprovedBytes, spec.onConflict == .skip else { return }
    throw TransferFailure(
      .notContinued, on: directory + "/" + old.resumeData.finalName,
      detail: "it is not the beginning of this one")
  }
}

/// The copying of a file into a partial one, as the engine follows and stops it.
final class LiveCopying: Sendable {
  private enum State: Sendable {
    /// Nothing is copied yet, and perhaps nothing will be.
    case waiting
    case copied(Int64)
    /// With what was copied until then; nil for nothing.
    case abandoned(after: Int64?)
  }

  private let state = Mutex(State.waiting)

  /// The number of copied bytes; nil if copying has not begun. What the response does meanwhile
  /// decides nothing.
  var byteCount: Int64? {
    state.withLock { state in
      switch state {
      case .copied(let byteCount): byteCount
      case .abandoned(let byteCount): byteCount
      case .waiting: nil
      }
    }
  }

  /// Returns whether to go on.
  func advance(to byteCount: Int64) -> Bool {
    state.withLock { state in
      switch state {
      case .abandoned: return false
      case .waiting, .copied:
        state = .copied(byteCount)
        return true
      }
    }
  }

  /// Stops the copying. What is opened without any is opened all the same.
  func abandon() {
    state.withLock { state in
      switch state {
      case .waiting: state = .abandoned(after: nil)
      case .copied(let byteCount): state = .abandoned(after: byteCount)
      case .abandoned: break
      }
    }
  }
}

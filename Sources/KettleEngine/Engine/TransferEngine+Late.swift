import Dispatch
import KettleModel
import KettleScheduler

/// Small bodies, which flow before their partial file exists (`LatePartialFile`).
extension TransferEngine {
  /// Lets the body flow into memory.
  func letFlow(
    into file: LatePartialFile, _ plan: BodyPlan, of attempt: AttemptID, _ id: TransferID
  ) {
    guard case .create(let new) = plan, let total = new.total, let one = attempts[attempt] else {
      return
    }
    let writer = makeWriter(for: file, durable: ByteRangeSet(), totalByteCount: total)
    bodies[id] = .late(
      LateBody(writer: writer, file: file, attempt: attempt, since: clock.now().monotonic))
    attempts[attempt]?.phase = .flowing
    transport.accept(
      attempt, into: writer.begin(attempt, from: 0, .whole(total), trust: one.trust))
  }

  /// Records a slow body before it is complete, like all others.
  func makeFile(of id: TransferID, _ late: LateBody) {
    switch late.making {
    case .begun: return
    case .notAsked where late.writer.receivedByteCount == 0: return
    case .notAsked: break
    }
    var late = late
    late.making = .begun
    bodies[id] = .late(late)
    namePool.async { [weak self, late] in
      let result = Result { () throws(TransferFailure) in try late.file.make() }
      self?.post(.bodyOpened(id, late.attempt, result))
    }
  }

  /// Handles the end of the only attempt, whose bytes, if any, are in the file. The scheduler
  /// learns of the file before it learns of the end.
  func settleLate(_ id: TransferID, after attempt: AttemptID) {
    guard case .late(let late)? = bodies[id], late.attempt == attempt else { return }
    switch late.file.result {
    case nil: bodies[id] = nil
    case .failure(let failure):
      bodies[id] = nil
      apply { scheduler, now in scheduler.bodyRefused(failure, of: attempt, at: now) }
    case .success(let opened): use(late.writer, opened, of: id, by: attempt)
    }
  }
}

/// A body whose partial file does not exist yet.
struct LateBody: Sendable {
  /// Whether the file is being created while bytes still arrive.
  enum Making: Sendable {
    case notAsked
    case begun
  }

  var writer: PartialFileWriter
  var file: LatePartialFile
  var attempt: AttemptID
  var since: MonotonicTime
  var making = Making.notAsked
}

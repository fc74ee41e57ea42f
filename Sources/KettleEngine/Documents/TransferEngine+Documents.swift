import KettleModel
import KettleScheduler

/// Bodies that are documents, and segments of playlists.
extension TransferEngine {
  func accept(
    _ document: RequestPurpose.Document, of attempt: AttemptID, for id: TransferID
  ) {
    guard attempts[attempt] != nil else { return }
    let sink = DocumentSink(document, url: urlText(of: attempt, id))
    attempts[attempt]?.document = sink
    attempts[attempt]?.phase = .flowing
    transport.accept(attempt, into: sink)
  }

  /// Appends a body to the open partial file. Its bytes count when it has ended properly.
  func acceptSegment(
    of attempt: AttemptID, from lower: Int64, upTo upper: Int64?, _ key: SegmentKey?,
    for id: TransferID
  ) {
    // The attempt may have been cancelled during the commit.
    guard let writer = bodies[id]?.writer, attempts[attempt] != nil else { return }
    let plain = writer.begin(
      attempt, from: lower, upper.map { .whole($0) } ?? .none, trust: .atItsEnd)
    attempts[attempt]?.phase = .flowing
    if let key {
      let sink = DecryptingSink(
        writer, attempt: attempt, files.beginDecryption(key),
        encryptedByteCount: key.encryptedByteCount, url: urlText(of: attempt, id))
      attempts[attempt]?.decryption = sink
      transport.accept(attempt, into: sink)
    } else {
      transport.accept(attempt, into: plain)
    }
    post(.bodyFlows(id))
  }

  private func urlText(of attempt: AttemptID, _ id: TransferID) -> String {
    let machine = scheduler.machines[id]
    return machine?.download?.connection(of: attempt)?.url.text ?? machine?.spec.url.text ?? ""
  }
}

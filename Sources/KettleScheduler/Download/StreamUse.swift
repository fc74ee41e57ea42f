import KettleModel

/// Whether a request may share its connection with others, as a stream of HTTP/2.
package enum StreamUse: Sendable, Hashable {
  /// HTTP/1.1, on a connection that carries nothing else meanwhile.
  case none
  /// Offers HTTP/2 to find out whether the origin has it. The transfer has a slot like any other.
  case trial
  /// Runs beside the slots, on the connection that the streams of its origin share.
  case beside
}

extension ResponseHead {
  /// A body that is worth a stream. As large as one that flows into memory, so that a stream waits
  /// neither for the disk nor for a window.
  static let streamByteCountMax: Int64 = 256 << 10

  /// Whether it announces a whole file that is small.
  var isOfSmallFile: Bool {
    guard status == 200, let length = value(of: "Content-Length")?.trimmed,
      let byteCount = Int64(length)
    else { return false }
    return (0...Self.streamByteCountMax).contains(byteCount)
  }

  /// Whether another request certainly gets the same: links that work only once are served by
  /// programs, which give no validator.
  fileprivate var isRepeatable: Bool {
    switch status {
    case 200..<300: value(of: "ETag") != nil || value(of: "Last-Modified") != nil
    default: true
    }
  }
}

// MARK: - Leaving a stream

extension ActiveDownload {
  /// Returns the end of a stream whose response belongs on a connection of its own: a large file,
  /// or anything but a file. The transfer is queued again and then uses HTTP/1.1. Returns nil when
  /// the response is taken as it is.
  func leavingStream(
    of primary: DownloadConnection, because response: Response, _ facts: inout TransferFacts
  ) -> Step? {
    let head = response.head
    switch primary.streamUse {
    case .none: return nil
    // With a slot, everything but a large body is treated as on any other connection.
    case .trial:
      guard response.isStream, (200..<300).contains(head.status) else { return nil }
    case .beside: break
    }
    guard !head.isOfSmallFile, head.isRepeatable else { return nil }
    return leavingStream(&facts)
  }

  /// Returns what follows when a stream broke: nothing of it counts as a retry, because one broken
  /// connection ends all its streams. Returns nil for other connections.
  func leavingStream(
    of connection: DownloadConnection, after failure: TransferFailure,
    _ facts: inout TransferFacts
  ) -> Step? {
    guard activeCount == 0 else { return nil }
    switch connection.streamUse {
    case .none: return nil
    case .trial:
      guard connection.phase == .requesting, failure.mayBeTheStream else { return nil }
    case .beside: break
    }
    return leavingStream(&facts)
  }

  private func leavingStream(_ facts: inout TransferFacts) -> Step {
    facts.repetitions.recordLeftStream()
    return .end(.queued)
  }
}

extension TransferFailure {
  /// Whether HTTP/2 may be the cause, so that HTTP/1.1 could work.
  var mayBeTheStream: Bool { code == .protocolBroken || code == .connectionLost }
}

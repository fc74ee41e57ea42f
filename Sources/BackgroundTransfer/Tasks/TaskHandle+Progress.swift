import Foundation
import KettleModel
import KettleSystem
import KettleTasks

extension TaskHandle {
  /// Stores the newest view of the task. The session calls this under its lock, so that views
  /// arrive in order. Nothing here calls the program.
  func show(_ view: TaskView) {
    let (readers, progress) = values.withLock {
      $0.view = view
      let readers = Array($0.progressReaders.values)
      if view.state == .completed { $0.progressReaders = [:] }
      return (readers, view.progress(of: kind))
    }
    for reader in readers {
      if let progress { reader.yield(progress) }
      if view.state == .completed { reader.finish() }
    }
  }

  /// Updates the `Progress` object outside of every lock, because this may call the program.
  func moveProgress() {
    guard let now = view.progress(of: kind) else { return }
    if let total = now.totalByteCount { progress.totalUnitCount = total }
    progress.completedUnitCount = now.completedByteCount
  }

  func makeProgressUpdates() -> AsyncStream<TransferProgress> {
    let (stream, reader) = AsyncStream.makeStream(
      of: TransferProgress.self, bufferingPolicy: .bufferingNewest(1))
    let (place, view) = values.withLock { values in
      defer { values.nextReader += 1 }
      if values.view.state != .completed { values.progressReaders[values.nextReader] = reader }
      return (values.nextReader, values.view)
    }
    reader.onTermination = { [weak self] _ in
      _ = self?.values.withLock { $0.progressReaders.removeValue(forKey: place) }
    }
    if let progress = view.progress(of: kind) { reader.yield(progress) }
    if view.state == .completed { reader.finish() }
    return stream
  }
}

extension TaskView {
  /// Returns the received bytes. For an upload, `bytesReceived` of the snapshot counts sent bytes.
  func bytesReceived(of kind: TaskOptions.Kind) -> Int64 {
    switch kind {
    case .download: snapshot?.bytesReceived ?? 0
    case .upload: snapshot?.task?.replyByteCount ?? 0
    }
  }

  var bytesSent: Int64 { snapshot?.task?.sentByteCount ?? 0 }

  func bytesExpectedToReceive(of kind: TaskOptions.Kind) -> Int64 {
    guard let snapshot else { return 0 }
    let expected =
      switch kind {
      case .download: snapshot.bytesAnnounced
      case .upload: snapshot.task?.reply?.contentLength
      }
    return expected ?? NSURLSessionTransferSizeUnknown
  }

  var bytesExpectedToSend: Int64 { uploadByteCount ?? 0 }

  func progress(of kind: TaskOptions.Kind) -> TransferProgress? {
    guard let snapshot else { return nil }
    return switch kind {
    case .download:
      TransferProgress(
        completedByteCount: snapshot.bytesReceived, totalByteCount: snapshot.bytesExpected,
        bytesPerSecond: snapshot.bytesPerSecond)
    case .upload:
      TransferProgress(
        completedByteCount: bytesSent, totalByteCount: uploadByteCount,
        bytesPerSecond: snapshot.bytesPerSecond)
    }
  }

  var waitingReason: WaitingReason? {
    guard state == .running else { return nil }
    guard isServiceThere else { return .service }
    guard let snapshot else { return .turn }
    switch snapshot.state {
    case .running, .verifying, .completed, .failed: return nil
    case .queued: return .turn
    case .idle, .paused: return .user
    case .scheduled: return snapshot.goesOnAt.map { .date($0.date) } ?? .turn
    case .waiting: return waitingReason(snapshot)
    }
  }

  private func waitingReason(_ snapshot: TransferSnapshot) -> WaitingReason {
    switch snapshot.reason {
    case .retry?, nil: .retry(snapshot.goesOnAt?.date)
    case .retryAfter?: .serverAskedToWait(snapshot.goesOnAt?.date)
    case .network?: .network
    case .diskSpace?: .diskSpace
    case .needsLink?: .freshLink
    case .needsLogin?: .challenge
    case .discretionary?:
      switch snapshot.error.flatMap({ TransferCondition(rawValue: $0.subject) }) {
      case .unmeteredNetwork?: .unmeteredNetwork
      case .mainsPower?, nil: .mainsPower
      }
    }
  }
}

extension ServerReply {
  /// nil when the header is missing or makes no sense.
  fileprivate var contentLength: Int64? {
    headers.first { $0.name.lowercased() == "content-length" }.flatMap { Int64($0.value) }
      .flatMap { $0 < 0 ? nil : $0 }
  }
}

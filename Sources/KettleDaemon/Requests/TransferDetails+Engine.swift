import KettleControl
import KettleEngine
import KettleModel

extension TransferDetails {
  /// Converts the engine's details to the protocol's.
  init(_ details: EngineDetails) {
    let record = details.record
    self.init(
      snapshot: details.snapshot,
      currentURL: details.currentURL == record.spec.url ? nil : details.currentURL?.text,
      partialPath: record.resumeData?.partialPath,
      held: record.resumeData?.durable ?? ByteRangeSet(),
      entityTag: record.resumeData?.validator?.entityTag,
      lastModified: record.resumeData?.validator?.lastModified,
      checksum: record.spec.checksum?.text, status: details.head?.status,
      headers: details.head?.headers ?? [], retryCount: record.retryCount,
      history: details.history.map { HistoryEntry(at: $0.at, text: $0.text) })
    redirects = details.redirects.map(\.text)
    directory = details.directory
    rule = record.spec.options.rule
    liveConnections = details.connections.map(ConnectionDetails.init)
    recentSpeeds = details.recentSpeeds
    resumedFromByteCount = details.resumedFromByteCount
    awaitsAnswer = details.awaitsAnswer
  }
}

extension ConnectionDetails {
  fileprivate init(_ connection: LiveConnection) {
    self.init(
      lower: connection.range?.lower, upper: connection.range?.upper,
      receivedUpTo: connection.receivedUpTo, bytesPerSecond: connection.bytesPerSecond,
      url: connection.url.text)
  }
}

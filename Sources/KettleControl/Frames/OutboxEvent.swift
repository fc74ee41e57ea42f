import KettleModel

/// An event in an outbox. The service shares one object between all clients, so an event costs each
/// of them a reference.
package protocol OutboxEvent: Sendable {
  var event: TransferEvent { get }
  var outline: EventOutline { get }
}

/// What an outbox has to know of an event, without copying the event.
package struct EventOutline: Hashable, Sendable {
  package let id: TransferID
  package let kind: TransferEvent.Kind
  package let bytesWritten: Int64?
  /// Roughly the size of its line.
  package let byteCount: Int

  package init(_ event: TransferEvent) {
    id = event.id
    kind = event.kind
    bytesWritten = event.bytesWritten
    byteCount = event.snapshot.estimatedByteCount
  }
}

extension TransferEvent: OutboxEvent {
  package var event: TransferEvent { self }
  package var outline: EventOutline { EventOutline(self) }
}

extension TransferSnapshot {
  /// The names and numbers as JSON are less than 640 bytes; the rest is the texts.
  var estimatedByteCount: Int {
    [title, url, path, error?.subject, error?.detail].reduce(640) { $0 + ($1?.utf8.count ?? 0) }
  }
}

extension RowWindow {
  /// Roughly the size of its line.
  var estimatedByteCount: Int { rows.reduce(1024) { $0 + $1.estimatedByteCount } }
}

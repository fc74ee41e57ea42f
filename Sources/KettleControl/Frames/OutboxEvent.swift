import KettleModel

/// An event in an outbox. All clients share one object, so an event costs each of them a reference.
package protocol OutboxEvent: Sendable {
  var event: TransferEvent { get }
  var outline: EventOutline { get }
}

/// The facts that an outbox needs about an event, without copying it.
package struct EventOutline: Hashable, Sendable {
  package let id: TransferID
  package let kind: TransferEvent.Kind
  package let bytesWritten: Int64?
  /// The approximate size of its line.
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
  /// The names and numbers as JSON are less than 640 bytes; the rest is text.
  var estimatedByteCount: Int {
    [title, subtitle, url, path, error?.subject, error?.detail].reduce(640) {
      $0 + ($1?.utf8.count ?? 0)
    }
  }
}

extension RowWindow {
  /// The approximate size of its line.
  var estimatedByteCount: Int { rows.reduce(1024) { $0 + $1.estimatedByteCount } }
}

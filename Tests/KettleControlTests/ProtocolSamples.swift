import KettleControl
import KettleModel

/// Values shared by the tests of the protocol.
enum ProtocolSamples {
  static func snapshot(_ id: Int64 = 1, title: String = "Guide") -> TransferSnapshot {
    TransferSnapshot(
      id: TransferID(rawValue: id), session: .kettle, taskIdentifier: id, title: title,
      url: "https://example.org/guide.pdf", state: .running, bytesReceived: 10,
      createdAt: WallTime(millisecondsSince1970: 1_000))
  }

  static func event(
    _ kind: TransferEvent.Kind, _ id: Int64 = 1, at time: Int64 = 0, written: Int64? = nil,
    total: Int64? = nil
  ) -> TransferEvent {
    TransferEvent(
      kind: kind, id: TransferID(rawValue: id), at: WallTime(millisecondsSince1970: time),
      snapshot: snapshot(id), bytesWritten: written, totalBytesWritten: total,
      totalBytesExpected: total.map { _ in -1 })
  }

  static func window(first: Int) -> RowWindow {
    RowWindow(first: first, matchingCount: 1, rows: [snapshot()], totals: Totals())
  }

  static func spec() -> TransferSpec? {
    switch TransferURL.parse("https://example.org/guide.pdf") {
    case .success(let parsed): TransferSpec(url: parsed.url)
    case .failure: nil
    }
  }
}

func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

import KettleAria2
import KettleControl
import KettleDashboard
import KettleModel

/// A reply to the WebExtension: `{"id": 1, "result": …}`, or `error` with a sentence for people.
enum BrowserReply {
  static func result(_ value: RPCValue, id: RPCValue) -> RPCValue {
    ["id": id, "result": value]
  }

  static func error(_ sentence: String, id: RPCValue) -> RPCValue {
    ["id": id, "error": .text(sentence)]
  }

  static var hello: RPCValue { ["version": .text(ProductVersion.text)] }

  static func added(_ id: TransferID) -> RPCValue { ["transfer": .integer(id.rawValue)] }

  /// The list of a service; nil without one.
  static func list(_ list: BrowserList?) -> RPCValue {
    guard let list else { return ["isRunning": .boolean(false), "rows": []] }
    return [
      "isRunning": .boolean(true),
      "rows": .list(list.rows.map(row)),
      "unfinishedCount": .integer(Int64(list.unfinishedCount)),
      "bytesPerSecond": .integer(list.bytesPerSecond),
    ]
  }

  /// Longer texts are cut.
  private static let characterCountMax = 300

  private static func row(_ row: TransferSnapshot) -> RPCValue {
    var object: [String: RPCValue] = [
      "transfer": .integer(row.id.rawValue),
      "title": .text(row.shownTitle.sanitizedForDisplay(limit: characterCountMax)),
      "host": .text(String(row.host).sanitizedForDisplay(limit: characterCountMax)),
      "state": .text(row.state.rawValue),
      "bytesReceived": .integer(row.bytesReceived),
      "bytesExpected": row.bytesExpected.map(RPCValue.integer) ?? .null,
      "bytesPerSecond": .integer(row.bytesPerSecond),
      "secondsLeft": row.secondsLeft.map(RPCValue.integer) ?? .null,
    ]
    if let note = note(on: row) {
      object["note"] = .text(note.sanitizedForDisplay(limit: characterCountMax))
    }
    return .object(object)
  }

  /// Why it does not move, or why it failed. The word for a paused one says enough.
  private static func note(on row: TransferSnapshot) -> String? {
    switch row.state {
    case .failed: row.error?.sentence
    case .paused, .idle, .scheduled, .completed, .verifying: nil
    case .running, .queued, .waiting: row.heldBack.map { Strings.obstacle(of: row, $0) }
    }
  }
}

/// What the WebExtension shows of the list.
struct BrowserList: Sendable {
  /// Unfinished transfers in work order, then those that ended last.
  var rows: [TransferSnapshot]
  var unfinishedCount: Int
  var bytesPerSecond: Int64

  static let unfinishedCountMax = 20
  static let endedCountMax = 10
}

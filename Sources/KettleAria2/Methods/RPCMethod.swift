import KettleModel

/// A method with its parameters, understood as far as the call alone allows.
package enum RPCMethod: Hashable, Sendable {
  case addURIs([String], options: [String: RPCValue], position: Int?)
  case addMetalink([UInt8], options: [String: RPCValue], position: Int?)
  case addTorrent
  case remove(GIDText)
  case pause(GIDText)
  case unpause(GIDText)
  case pauseAll
  case unpauseAll
  case tellStatus(GIDText, keys: StatusKeys)
  case tellActive(keys: StatusKeys)
  case tellWaiting(RPCWindow, keys: StatusKeys)
  case tellStopped(RPCWindow, keys: StatusKeys)
  case uris(GIDText)
  case files(GIDText)
  case peers(GIDText)
  case servers(GIDText)
  case changePosition(GIDText, offset: Int, from: PositionOrigin)
  case changeURIs(GIDText, file: Int, removed: [String], added: [String])
  case option(GIDText)
  case changeOption(GIDText, [String: RPCValue])
  case globalOption
  case changeGlobalOption([String: RPCValue])
  case globalStatistics
  case purgeResults
  case removeResult(GIDText)
  case version
  case sessionInformation
  case shutdown
  case saveSession
  case listMethods
  case listNotifications
  case multicall([Result<RPCCall, RPCError>])

  /// Where a position is counted from.
  package enum PositionOrigin: String, Hashable, Sendable {
    case start = "POS_SET"
    case current = "POS_CUR"
    case end = "POS_END"
  }

  /// The methods that answer without a secret. The calls within a multicall have their own.
  package static let openNames: Set<String> = [
    RPCCall.multicall, "system.listMethods", "system.listNotifications",
  ]
}

/// The digits that name a transfer: all 16, or as many as name it alone.
package struct GIDText: Hashable, Sendable {
  package let text: String
  package let range: ClosedRange<GID>

  package init?(_ text: String) {
    guard let range = GID.range(ofPrefix: text) else { return nil }
    self.text = text
    self.range = range
  }

  /// The GID, if all digits are given.
  package var exact: GID? {
    range.lowerBound == range.upperBound ? range.lowerBound : nil
  }
}

/// A part of a list. A negative offset counts from the end, and the order is then reversed.
package struct RPCWindow: Hashable, Sendable {
  package var offset: Int
  package var count: Int

  package init(offset: Int, count: Int) {
    self.offset = offset
    self.count = count
  }

  /// The rows of a list of `total` that the window has, in the order of the list; and whether they
  /// are then reversed.
  package func rows(of total: Int) -> (range: Range<Int>, isReversed: Bool) {
    guard offset < 0 else {
      let first = min(offset, total)
      return (first..<min(first + min(count, total - first), total), false)
    }
    let (end, overflow) = total.addingReportingOverflow(offset)
    guard !overflow, end >= 0 else { return (0..<0, true) }
    return (max(0, end + 1 - min(count, end + 1))..<(end + 1), true)
  }
}

/// Which fields of a transfer a client asked for.
package enum StatusKeys: Hashable, Sendable {
  case all
  case some(Set<String>)

  package func contains(_ key: String) -> Bool {
    switch self {
    case .all: true
    case .some(let keys): keys.contains(key)
    }
  }

  package func contains(anyOf names: [String]) -> Bool { names.contains { contains($0) } }
}

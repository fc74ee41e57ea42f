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

extension RPCMethod {
  /// Understands a call from which the secret was taken. Throws if there is no such method, or its
  /// parameters do not fit.
  package init(_ call: RPCCall) throws(RPCError) {
    guard let read = Self.readers[call.method] else { throw .noSuchMethod(call.method) }
    self = try read(call.params)
  }

  private typealias Reader = @Sendable ([RPCValue]) throws(RPCError) -> RPCMethod

  /// All methods by name.
  private static let readers: [String: Reader] = [
    "aria2.addUri": { values throws(RPCError) in
      let params = RPCParameters(values)
      return .addURIs(
        try params.texts(0), options: try params.options(1), position: try params.position(2))
    },
    "aria2.addMetalink": { values throws(RPCError) in
      let params = RPCParameters(values)
      return .addMetalink(
        try params.file(0), options: try params.options(1), position: try params.position(2))
    },
    "aria2.addTorrent": { _ throws(RPCError) in .addTorrent },
    "aria2.remove": { values throws(RPCError) in .remove(try RPCParameters(values).gid()) },
    "aria2.forceRemove": { values throws(RPCError) in .remove(try RPCParameters(values).gid()) },
    "aria2.pause": { values throws(RPCError) in .pause(try RPCParameters(values).gid()) },
    "aria2.forcePause": { values throws(RPCError) in .pause(try RPCParameters(values).gid()) },
    "aria2.unpause": { values throws(RPCError) in .unpause(try RPCParameters(values).gid()) },
    "aria2.pauseAll": { _ throws(RPCError) in .pauseAll },
    "aria2.forcePauseAll": { _ throws(RPCError) in .pauseAll },
    "aria2.unpauseAll": { _ throws(RPCError) in .unpauseAll },
    "aria2.tellStatus": { values throws(RPCError) in
      let params = RPCParameters(values)
      return .tellStatus(try params.gid(), keys: try params.keys(1))
    },
    "aria2.tellActive": { values throws(RPCError) in
      .tellActive(keys: try RPCParameters(values).keys(0))
    },
    "aria2.tellWaiting": { values throws(RPCError) in
      let params = RPCParameters(values)
      return .tellWaiting(try params.window(), keys: try params.keys(2))
    },
    "aria2.tellStopped": { values throws(RPCError) in
      let params = RPCParameters(values)
      return .tellStopped(try params.window(), keys: try params.keys(2))
    },
    "aria2.getUris": { values throws(RPCError) in .uris(try RPCParameters(values).gid()) },
    "aria2.getFiles": { values throws(RPCError) in .files(try RPCParameters(values).gid()) },
    "aria2.getPeers": { values throws(RPCError) in .peers(try RPCParameters(values).gid()) },
    "aria2.getServers": { values throws(RPCError) in .servers(try RPCParameters(values).gid()) },
    "aria2.changePosition": { values throws(RPCError) in
      let params = RPCParameters(values)
      guard let origin = PositionOrigin(rawValue: try params.text(2)) else {
        throw .refused("The third parameter must be POS_SET, POS_CUR or POS_END")
      }
      return .changePosition(try params.gid(), offset: try params.integer(1), from: origin)
    },
    "aria2.changeUri": { values throws(RPCError) in
      let params = RPCParameters(values)
      return .changeURIs(
        try params.gid(), file: try params.integer(1), removed: try params.texts(2),
        added: try params.texts(3))
    },
    "aria2.getOption": { values throws(RPCError) in .option(try RPCParameters(values).gid()) },
    "aria2.changeOption": { values throws(RPCError) in
      let params = RPCParameters(values)
      return .changeOption(try params.gid(), try params.options(1))
    },
    "aria2.getGlobalOption": { _ throws(RPCError) in .globalOption },
    "aria2.changeGlobalOption": { values throws(RPCError) in
      .changeGlobalOption(try RPCParameters(values).options(0))
    },
    "aria2.getGlobalStat": { _ throws(RPCError) in .globalStatistics },
    "aria2.purgeDownloadResult": { _ throws(RPCError) in .purgeResults },
    "aria2.removeDownloadResult": { values throws(RPCError) in
      .removeResult(try RPCParameters(values).gid())
    },
    "aria2.getVersion": { _ throws(RPCError) in .version },
    "aria2.getSessionInfo": { _ throws(RPCError) in .sessionInformation },
    "aria2.shutdown": { _ throws(RPCError) in .shutdown },
    "aria2.forceShutdown": { _ throws(RPCError) in .shutdown },
    "aria2.saveSession": { _ throws(RPCError) in .saveSession },
    "system.listMethods": { _ throws(RPCError) in .listMethods },
    "system.listNotifications": { _ throws(RPCError) in .listNotifications },
    RPCCall.multicall: { values throws(RPCError) in .multicall(try RPCCall.inner(values)) },
  ]

  /// What `system.listMethods` answers. A client that finds `aria2.addTorrent` would offer it.
  package static let names: [String] = readers.keys.filter { $0 != "aria2.addTorrent" }.sorted()
}

/// Reads the parameters of a call, one after the other.
struct RPCParameters {
  private let values: [RPCValue]

  init(_ values: [RPCValue]) { self.values = values }

  private subscript(_ index: Int) -> RPCValue? {
    values.indices.contains(index) ? values[index] : nil
  }

  func gid(_ index: Int = 0) throws(RPCError) -> GIDText {
    guard let text = self[index]?.text else { throw .badParameter(at: index) }
    guard let gid = GIDText(text) else { throw .invalidGID(text) }
    return gid
  }

  func text(_ index: Int) throws(RPCError) -> String {
    guard let text = self[index]?.text else { throw .badParameter(at: index) }
    return text
  }

  func integer(_ index: Int) throws(RPCError) -> Int {
    guard let number = self[index]?.integer, let number = Int(exactly: number) else {
      throw .badParameter(at: index)
    }
    return number
  }

  /// A list of texts; other elements are dropped.
  func texts(_ index: Int) throws(RPCError) -> [String] {
    guard let list = self[index]?.list else { throw .badParameter(at: index) }
    return list.compactMap(\.text)
  }

  /// An object that may be missing.
  func options(_ index: Int) throws(RPCError) -> [String: RPCValue] {
    switch self[index] {
    case nil, .null: return [:]
    case .object(let object): return object
    default: throw .badParameter(at: index)
    }
  }

  /// A position in the queue that may be missing.
  func position(_ index: Int) throws(RPCError) -> Int? {
    if self[index] == nil { return nil }
    let position = try integer(index)
    guard position >= 0 else {
      throw .refused("The position \(position) is negative; give 0 or more")
    }
    return position
  }

  func keys(_ index: Int) throws(RPCError) -> StatusKeys {
    guard let value = self[index], value != .null else { return .all }
    guard let list = value.list else { throw .badParameter(at: index) }
    return list.isEmpty ? .all : .some(Set(list.compactMap(\.text)))
  }

  func window() throws(RPCError) -> RPCWindow {
    let window = RPCWindow(offset: try integer(0), count: try integer(1))
    guard window.count >= 0 else {
      throw .refused("The number of downloads is \(window.count); give 0 or more")
    }
    return window
  }

  /// The bytes of a file, as Base64.
  func file(_ index: Int) throws(RPCError) -> [UInt8] {
    // XML-RPC clients break Base64 text into lines.
    let text = try text(index).filter { !$0.isWhitespace }
    guard let bytes = Base64Bytes(text)?.bytes else {
      throw .refused("The parameter at \(index) is not Base64")
    }
    return bytes
  }
}

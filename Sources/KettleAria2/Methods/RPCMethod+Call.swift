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

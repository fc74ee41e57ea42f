import KettleEngine
import KettleModel
import KettleRPC
import KettleScheduler

/// Options of downloads and of all downloads together.
extension RPCMethods {
  func options(of gid: GIDText) async throws(RPCError) -> RPCValue {
    let details = try await transfer(gid)
    return OptionAnswer.options(
      of: details.record.spec, gid: ledger.gid(of: details.record.id),
      directory: details.directory)
  }

  /// The limit changes at once. Others belong to the beginning of a download, so they can change
  /// while it is paused.
  func change(
    _ gid: GIDText, _ options: [String: RPCValue]
  ) async throws(RPCError) -> RPCValue {
    let details = try await transfer(gid)
    let choices = try RPCChoices(options)
    let now =
      OptionAnswer.options(
        of: details.record.spec, gid: ledger.gid(of: details.record.id),
        directory: details.directory
      ).object ?? [:]
    // Front ends send all options of a form, changed or not.
    let changed = options.filter { name, value in
      value != .null && name != "max-download-limit" && choices.echoed[name] == nil
        && now[name] != value
    }
    if !changed.isEmpty { try await change(details, changed, over: now) }
    if let limit = choices.limit {
      _ = await engine.limit([details.record.id], toBytesPerSecond: limit)
    }
    return "OK"
  }

  /// Options that name the download itself, or are not read from an answer.
  private static let fixedOptions: Set<String> = ["gid", "pause"]

  private func change(
    _ details: EngineDetails, _ changed: [String: RPCValue], over now: [String: RPCValue]
  ) async throws(RPCError) {
    let old = details.record.spec
    let download = download(details)
    if let name = changed.keys.sorted().first(where: Self.fixedOptions.contains) {
      throw .refused("The option \(name) of a download cannot be changed")
    }
    guard download.status == .paused else {
      let name = changed.keys.sorted().first ?? ""
      throw .refused(
        "The option \(name) of GID#\(download.gid) can only be changed while it is paused")
    }
    var choices = try RPCChoices(now.merging(changed) { $1 })
    choices.gid = old.options.rpc?.gid.flatMap { GID($0) }
    choices.isPaused = old.beginning == .paused
    var spec = old
    try choices.apply(
      to: &spec, [old.url] + old.options.mirrors,
      login: old.options.rpc == nil ? old.login : nil)
    if old.options.rpc == nil {
      // The client was not told these, so it has not given them either.
      if changed["header"] == nil { spec.headers = old.headers }
      if changed.keys.allSatisfy({ !ProxyOptions.names.contains($0) }) {
        spec.options.proxy = old.options.proxy
      }
      spec.options.rpc = nil
    }
    spec.beginning = old.beginning
    if changed["dir"] != nil || changed["out"] != nil {
      let place = try RPCPlace(
        directory: choices.directory, output: choices.output, base: settings.directory,
        home: settings.homeDirectory, roots: settings.roots)
      try ConfinedDirectory.make(place.directory, below: settings.roots)
      (spec.directory, spec.name) = (place.directory, place.name ?? old.name)
      // The bytes so far belong to the other place.
      if details.record.resumeData != nil {
        _ = await engine.control(.stop, [details.record.id])
      }
    }
    try await change(details, to: spec)
  }

  func globals() async -> OptionAnswer.Globals {
    let limits = await engine.limits
    return OptionAnswer.Globals(
      directory: ledger.choices["dir"]?.text ?? settings.directory, runningMax: limits.runningMax,
      connectionsPerHostMax: limits.connectionsPerHostMax, limitBytesPerSecond: lists.limit,
      choices: ledger.choices.compactMapValues(\.text))
  }

  /// Until the service ends. Options of downloads apply to those that clients add from now on.
  func changeGlobals(_ options: [String: RPCValue]) async throws(RPCError) -> RPCValue {
    var rest = options
    let limit = rest.removeValue(forKey: "max-overall-download-limit")
    let count = rest.removeValue(forKey: "max-concurrent-downloads")
    // Checked as a whole before anything is changed.
    var choices = try RPCChoices(rest)
    if let limit {
      choices = try RPCChoices(["max-download-limit": limit])
    }
    let runningMax = try count.map { value throws(RPCError) in
      guard let number = value.integer.flatMap({ Int(exactly: $0) }), (1...1000).contains(number)
      else {
        throw .refused("The option max-concurrent-downloads must be a number from 1 to 1000")
      }
      return number
    }
    if let directory = rest["dir"]?.text, !directory.isEmpty {
      _ = try RPCPlace(
        directory: directory, output: nil, base: settings.directory,
        home: settings.homeDirectory, roots: settings.roots)
    }
    if limit != nil { await engine.limitAll(toBytesPerSecond: choices.limit ?? nil) }
    if let runningMax {
      var limits = await engine.limits
      limits.runningMax = runningMax
      await engine.setLimits(limits)
    }
    guard ledger.choose(rest) else { throw .refused("There are too many options") }
    return "OK"
  }
}

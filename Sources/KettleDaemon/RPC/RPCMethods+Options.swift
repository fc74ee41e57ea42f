import KettleAria2
import KettleEngine
import KettleModel
import KettleScheduler

/// Options of downloads and of all downloads together.
extension RPCMethods {
  func options(of gid: GIDText) async throws(RPCError) -> RPCValue {
    let details = try await transfer(gid)
    return OptionAnswer.options(
      of: details.record.spec, gid: ledger.gid(of: details.record.id),
      directory: details.directory)
  }

  /// The limit changes at once. Others belong to the beginning of a download.
  func change(
    _ gid: GIDText, _ options: [String: RPCValue]
  ) async throws(RPCError) -> RPCValue {
    let details = try await transfer(gid)
    let choices = try RPCChoices(options)
    var unchangeable = options.filter { $0.value != .null }.keys.filter {
      $0 != "max-download-limit" && choices.echoed[$0] == nil
    }
    unchangeable.sort()
    let now = OptionAnswer.options(
      of: details.record.spec, gid: ledger.gid(of: details.record.id),
      directory: details.directory)
    // Front ends send all options of a form, changed or not.
    let changed = unchangeable.filter { now.object?[$0] != options[$0] }
    if let name = changed.first {
      throw .refused(
        "The option \(name) of a download cannot be changed; remove it and add it again")
    }
    if let limit = choices.limit {
      _ = await engine.limit([details.record.id], toBytesPerSecond: limit)
    }
    return "OK"
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

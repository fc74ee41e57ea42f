import Glibc
import KettleControl
import KettleEngine
import KettleModel
import KettleRPC
import KettleScheduler
import KettleSystem

/// Adding downloads.
extension RPCMethods {
  /// A download that can be added.
  struct Addition: Sendable {
    var spec: TransferSpec
    var gid: GID?
  }

  /// Reads what `aria2.addUri` was given. Makes a missing directory.
  func addition(
    of uris: [String], _ options: [String: RPCValue]
  ) -> Result<Addition, RPCError> {
    do throws(RPCError) {
      guard !uris.isEmpty else { throw .refused("No URI to download.") }
      var parsed: [TransferURL.Parsed] = []
      for uri in uris { parsed.append(try Self.parse(uri)) }
      return .success(try addition(of: parsed, choices(options)))
    } catch {
      return .failure(error)
    }
  }

  static func parse(_ uri: String) throws(RPCError) -> TransferURL.Parsed {
    switch TransferURL.parse(uri) {
    case .success(let parsed): return parsed
    case .failure:
      throw .refused(
        """
        The URI "\(uri.sanitizedForDisplay(limit: 200))" cannot be used; \
        give one with http, https, ftp, ftps or sftp
        """)
    }
  }

  /// The options of a download over those that clients set for all.
  private func choices(_ options: [String: RPCValue]) throws(RPCError) -> RPCChoices {
    try RPCChoices(ledger.choices.merging(options) { $1 })
  }

  private func addition(
    of urls: [TransferURL.Parsed], _ choices: RPCChoices
  ) throws(RPCError) -> Addition {
    guard let first = urls.first else { throw .refused("No URI to download.") }
    let place = try RPCPlace(
      directory: choices.directory, output: choices.output, base: settings.directory,
      home: settings.homeDirectory, roots: settings.roots)
    try ConfinedDirectory.make(place.directory, below: settings.roots)
    var spec = TransferSpec(url: first.url)
    // A rule of the user's may choose another directory where the client chooses none.
    let isOpen = choices.directory == nil && place.directory == settings.directory
    spec.directory = isOpen ? nil : place.directory
    spec.name = place.name
    try choices.apply(to: &spec, urls.map(\.url), login: first.login)
    return Addition(spec: spec, gid: choices.gid)
  }

  func addAll(_ requests: [RPCAddition]) async -> [Result<RPCValue, RPCError>] {
    let read = requests.map { addition(of: $0.uris, $0.options) }
    var added = await add(read.compactMap { try? $0.get() })[...]
    return read.map { result in
      switch result {
      case .success: added.popFirst() ?? .failure(.refused("It was not added"))
      case .failure(let error): .failure(error)
      }
    }
  }

  /// Adds downloads in one commit. One whose GID is taken is refused alone.
  func add(_ additions: [Addition]) async -> [Result<RPCValue, RPCError>] {
    var refused: [Int: RPCError] = [:]
    var gids: Set<GID> = []
    for (index, addition) in additions.enumerated() {
      guard let gid = addition.gid else { continue }
      let isTaken = await engine.details(of: ledger.transferID(of: gid)) != nil
      if isTaken || !gids.insert(gid).inserted {
        refused[index] = .refused("GID \(gid) is already used.")
      }
    }
    let accepted = additions.indices.filter { refused[$0] == nil }
    let stopped = await stoppedTransfers(of: accepted.map { additions[$0].spec.url.text })
    let ids: [TransferID]
    do {
      // One that continues another begins when it has its bytes.
      ids = try await engine.add(
        accepted.map { index in
          var spec = additions[index].spec
          if stopped[spec.url.text] != nil { spec.beginning = .paused }
          return spec
        })
    } catch {
      return additions.map { _ in
        .failure(.refused("The download cannot be stored; see \"kettle daemon status\""))
      }
    }
    var results = additions.indices.map { index in
      Result<RPCValue, RPCError>.failure(refused[index] ?? .refused("It was not added"))
    }
    for (index, id) in zip(accepted, ids) {
      if let gid = additions[index].gid { ledger.note(gid, of: id) }
      let spec = additions[index].spec
      if let old = stopped[spec.url.text] {
        _ = await engine.handOver(from: old, to: id)
        if spec.beginning == .queued { _ = await engine.control(.start, [id]) }
      }
      results[index] = .success(.text(ledger.gid(of: id).description))
    }
    return results
  }

  /// The transfers of these URLs that stopped for good. Front ends retry by adding the URL again
  /// before they remove the old download.
  private func stoppedTransfers(of urls: [String]) async -> [String: TransferID] {
    // The whole list is searched.
    guard lists.mayHaveStopped, let found = try? await lists.find(urls) else { return [:] }
    var stopped: [String: TransferID] = [:]
    for one in found where one.state == .failed || one.state == .waiting {
      guard let details = await engine.details(of: one.id),
        RowFilter.Stage(details.snapshot.state, details.snapshot.reason) == .ended
      else { continue }
      stopped[one.url] = one.id
    }
    return stopped
  }

  func add(
    _ uris: [String], _ options: [String: RPCValue], at position: Int?
  ) async throws(RPCError) -> RPCValue {
    let addition = try addition(of: uris, options).get()
    guard let gid = try await add([addition]).first?.get() else { throw .refused("Not added") }
    if let position { try await place([gid], at: position) }
    return gid
  }

  /// Answers a list: a Metalink may describe several files.
  func addMetalink(
    _ bytes: [UInt8], _ options: [String: RPCValue], at position: Int?
  ) async throws(RPCError) -> RPCValue {
    let files: [MetalinkFile]
    do throws(MetalinkProblem) {
      files = try MetalinkFile.read(bytes)
    } catch {
      throw .refused("The Metalink cannot be used: \(error.words)")
    }
    var choices = try choices(options)
    // Each file has its own.
    choices.gid = nil
    var additions: [Addition] = []
    for file in files {
      guard let best = file.urls.first else { continue }
      var addition = try addition(of: [best], choices)
      // The client could have added the same URLs by themselves.
      file.complete(&addition.spec, namedBy: .machine)
      additions.append(addition)
    }
    var gids: [RPCValue] = []
    for result in await add(additions) { gids.append(try result.get()) }
    if let position { try await place(gids, at: position) }
    return .list(gids)
  }

  /// Moves new downloads from the end of the queue to a position.
  private func place(_ gids: [RPCValue], at position: Int) async throws(RPCError) {
    for (offset, gid) in gids.enumerated() {
      guard let text = gid.text.flatMap(GIDText.init) else { continue }
      // One that runs already has no position.
      _ = try? await changePosition(of: text, offset: position + offset, from: .start)
    }
  }
}

/// Makes directories for clients that may store files only below certain ones.
enum ConfinedDirectory {
  /// Makes a directory and those above it, unless they exist. Throws if its real path, with all
  /// links resolved, is outside of `roots`.
  ///
  /// - Parameter path: absolute, without `.` and `..`.
  static func make(_ path: String, below roots: [String]) throws(RPCError) {
    let real = roots.map { realPath(ofExisting: $0) }
    let target = realPath(ofExisting: path)
    guard real.contains(where: { target == $0 || target.hasPrefix($0 == "/" ? "/" : $0 + "/") })
    else {
      throw .refused("The directory \(shown(path)) is outside the allowed directories")
    }
    var made = ""
    for part in target.split(separator: "/") {
      made += "/" + part
      if mkdir(made, 0o777) == 0 { continue }
      let problem = SystemError(errno)
      if problem.code == EEXIST { continue }
      // Directories above that exist may be unwritable.
      if problem.code == EACCES || problem.code == EROFS, access(made, F_OK) == 0 { continue }
      throw .refused("The directory \(shown(path)) cannot be made: \(problem.message)")
    }
  }

  private static func shown(_ path: String) -> String { path.sanitizedForDisplay(limit: 200) }

  /// Resolves the links in the part of a path that exists.
  private static func realPath(ofExisting path: String) -> String {
    var existing = path[...]
    var missing: [Substring] = []
    while !existing.isEmpty {
      if let resolved = realpath(String(existing), nil) {
        defer { free(resolved) }
        let start = String(cString: resolved)
        let rest = missing.reversed().joined(separator: "/")
        if rest.isEmpty { return start }
        return start == "/" ? "/" + rest : start + "/" + rest
      }
      guard let slash = existing.lastIndex(of: "/") else { break }
      missing.append(existing[existing.index(after: slash)...])
      existing = existing[..<slash]
    }
    return "/" + missing.reversed().joined(separator: "/")
  }
}

import KettleControl
import KettleModel

/// Sentences about requests for URLs that are on the list already.
extension Sentences {
  static func of(_ report: ListedCopies.Report) -> String {
    switch report {
    case .follows(let id, let parts):
      let taken = parts.isEmpty ? "" : " and takes over \(options(parts))"
      return "Transfer \(id) already has this URL, so this command follows it\(taken); "
        + "--again fetches another copy"
    case .another(let id, .fileChanged):
      return "The file of transfer \(id), which has this URL, was changed since it was complete, "
        + "so another copy is fetched"
    case .another(let id, .fileGone):
      return "The file of transfer \(id), which has this URL, is gone, so it is fetched again"
    case .another(let id, _):
      return "Transfer \(id) has this URL, but another place for the file, so another copy is "
        + "fetched"
    case .refused(let sentence): return sentence
    }
  }

  /// Why a transfer on the list does not lead to what is asked.
  static func notFollowed(
    _ id: TransferID, _ result: FollowTransfer.Result, asked: TransferSpec
  ) -> String {
    switch result.outcome {
    case .mismatch:
      let path = quoted(result.path ?? "", limit: 4096)
      let found = (result.found ?? "").sanitizedForDisplay(limit: 200)
      return "The file \(path) of transfer \(id), which has this URL, does not have the checksum "
        + "\(asked.checksum?.text ?? ""), but \(found); --again fetches another copy"
    case .unreadable:
      let why = result.error?.sentence.sanitizedForDisplay(limit: 600) ?? "it cannot be read"
      return "The file of transfer \(id), which has this URL, cannot be compared with the "
        + "checksum: \(why)"
    case .tooLate, .follows, .otherFile, .transferGone, .fileGone, .fileChanged:
      let state = result.state?.rawValue ?? "under way"
      return "Transfer \(id) already has this URL and is \(state), so it cannot take over "
        + "\(options(result.parts ?? [])); leave that out, or fetch another copy with --again"
    }
  }

  /// After an `add` whose URL was on the list.
  static func alsoListed(_ id: TransferID, new: TransferID) -> String {
    "Transfer \(id) already has this URL; transfer \(new) fetches another copy, unless "
      + "--on-conflict says otherwise (\"kettle get\" follows the first one)"
  }

  static func alsoListed(count: Int) -> String {
    "\(count) of these URLs are on the list already and are fetched again, unless --on-conflict "
      + "says otherwise"
  }

  /// The options that say these parts: `--limit and --title`.
  static func options(_ parts: [RequestPart]) -> String {
    let names = parts.map(option)
    guard names.count > 1, let last = names.last else { return names.first ?? "its options" }
    return names.dropLast().joined(separator: ", ") + " and " + last
  }

  private static func option(_ part: RequestPart) -> String {
    switch part {
    case .title: "--title"
    case .directory: "--directory"
    case .name: "--output"
    case .session: "--session"
    case .connections: "--connections"
    case .headers: "--header"
    case .login: "--user"
    case .checksum: "--checksum"
    case .caCertificatePath: "--ca-certificate"
    case .limitBytesPerSecond: "--limit"
    case .notBefore: "--not-before"
    case .priority: "--priority"
    case .onConflict: "--on-conflict"
    case .beginning: "--paused"
    case .silenceSeconds: "--timeout"
    case .connectSeconds: "--connect-timeout"
    case .attemptsMax: "--tries"
    case .retryDelaySeconds: "--retry-delay"
    case .proxy: "--proxy"
    case .cookies: "--load-cookies"
    case .certificate: "--cert"
    case .usesNetrc: "--netrc"
    case .keepsServerTime: "--remote-time"
    case .mirrors: "--mirror"
    case .unpacks: "--decode"
    case .continues: "--continue"
    case .checksumURL: "--checksum-url"
    case .isAsIs: "--as-is"
    case .variant: "--variant"
    case .queue: "--queue"
    case .then: "--then"
    case .url, .trustedServers, .request, .task, .permissions, .makesDirectory, .rpc, .chosen,
      .rule:
      part.rawValue
    }
  }
}

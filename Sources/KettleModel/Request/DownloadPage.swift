/// The page of a browser that a download came from, and what the browser knew of the file. When the
/// link is dead, the page has a fresh one.
///
///     spec.options.page = DownloadPage(page, byteCount: 4_700_000_000)
public struct DownloadPage: Hashable, Sendable, Codable {
  /// Of HTTP. Like every URL here it has neither a login nor a fragment.
  public var url: TransferURL
  /// The size of the file that the browser was told; nil if it was told none.
  public var byteCount: Int64?
  /// Whether the present link came from the page when an earlier one was dead; nil for no.
  public var hasFreshLink: Bool?

  public init(_ url: TransferURL, byteCount: Int64? = nil) {
    self.url = url
    self.byteCount = byteCount
  }

  var isUsable: Bool { url.scheme.family == .http && byteCount.map { $0 > 0 } ?? true }
}

extension TransferURL {
  /// Whether both are the same page. Sites keep numbers of visits in the query.
  fileprivate func isPage(_ other: TransferURL) -> Bool {
    origin == other.origin && path == other.path
  }
}

extension TransferSpec {
  /// The page that the download came from: as the browser has said, or else the `Referer` that was
  /// given; nil if neither is known.
  package var page: TransferURL? {
    if let page = options.page { return page.url }
    guard let referer = headers.first(where: { $0.name.lowercased() == "referer" }),
      case .success(let parsed) = TransferURL.parse(referer.value),
      parsed.url.scheme.family == .http
    else { return nil }
    return parsed.url
  }

  /// Whether it asks for one file of a web server, in its own right.
  fileprivate var isPlainDownload: Bool {
    task == nil && url.scheme.family == .http && request?.isPlainGET ?? true
      && options.collection == nil && options.member == nil && options.repairs == nil
  }
}

// MARK: Which transfer a fresh link is for

extension TransferRecord {
  /// Whether its link is dead, so that a fresh link continues it.
  package var waitsForLink: Bool {
    guard spec.isPlainDownload else { return false }
    switch state {
    case .waiting:
      // The page's own fresh link led to another file, and so would the next one from there.
      let isDisproved = failure?.code == .otherFile && spec.options.page?.hasFreshLink == true
      return reason == .needsLink && !isDisproved
    case .failed: return failure?.isOfDeadLink ?? false
    case .idle, .scheduled, .queued, .running, .paused, .verifying, .completed: return false
    }
  }

  /// Whether it waits for the link of a download that a browser has just handed over: both came
  /// from the same page, with the same name and the same size. What is not known is not the same.
  package func waits(forLinkOf new: TransferSpec) -> Bool {
    guard waitsForLink, spec.session == new.session, let page = new.options.page,
      spec.page?.isPage(page.url) ?? false, let name = new.name?.text,
      name == spec.name?.text || name == resumeData?.finalName
    else { return false }
    let known = resumeData?.totalByteCount ?? spec.options.page?.byteCount
    return page.byteCount != nil && page.byteCount == known
  }
}

extension Sequence<TransferRecord> {
  /// Returns the only transfer that waits for the link of a new download; nil if none does, and if
  /// several do, because the link would be a guess.
  package func one(waitingForLinkOf new: TransferSpec) -> TransferRecord? {
    var found: TransferRecord?
    for record in self where record.waits(forLinkOf: new) {
      if found != nil { return nil }
      found = record
    }
    return found
  }
}

extension TransferFailure {
  /// Whether the server says that it does not have the file under this URL, or no longer gives it.
  fileprivate var isOfDeadLink: Bool {
    if code == .linkExpired { return true }
    return code == .httpStatus && statusNumber.map([403, 404, 410].contains) ?? false
  }
}

import KettleModel

/// A record of a repository of research data, as a text names it.
package struct NamedRecord {
  /// In one form, which names the same record again.
  var name: String
  /// Where its document is below the endpoint of the repository.
  var path: String
  var query: String?
  /// The server, if the text names it.
  var site: TransferURL?

  /// Returns what follows a prefix in a DOI, which is written alone, after `doi:` or as a URL; nil
  /// for any other text. Upper and lower case are the same in a DOI
  /// (https://www.doi.org/doi_handbook/2_Numbering.html#2.4).
  static func suffix(ofDOI text: String, after prefix: String) -> Substring? {
    let text = text.trimmingBlanks()
    let path = page(text, on: ["doi.org", "dx.doi.org", "www.doi.org"].contains)
    let isMarked = text.prefix(4).lowercased() == "doi:"
    let doi = path.map { $0.joined(separator: "/")[...] } ?? text.dropFirst(isMarked ? 4 : 0)
    guard doi.prefix(prefix.count).lowercased() == prefix.lowercased() else { return nil }
    return doi.dropFirst(prefix.count)
  }

  /// The components of the path of a page of a web server at its usual port; nil for other text and
  /// other hosts.
  static func page(_ text: String, on isHost: (String) -> Bool) -> [Substring]? {
    guard case .success(let parsed) = TransferURL.parse(text), parsed.url.scheme.family == .http,
      parsed.url.port == parsed.url.scheme.defaultPort, isHost(parsed.url.host)
    else { return nil }
    return parsed.url.components
  }

  /// A number of a record, a version or a file, in one form; nil for any other text.
  static func number(_ text: some StringProtocol) -> String? {
    guard let number = DecimalDigits.int64(Substring(text)), number > 0 else { return nil }
    return String(number)
  }
}

/// An adapter whose first document describes a record of a repository.
package protocol RecordAdapter: CollectionAdapter {
  static var kind: CollectionSource.Kind { get }
  /// The variable that names another server for a record, and the usual server.
  static var endpoint: (variable: String, usual: String) { get }
  /// Returns nil for text that is not of this kind, and what is wrong with it for text that is.
  static func record(named text: String) -> Result<NamedRecord, ListingProblem>?

  /// Where the first document is.
  var url: TransferURL { get }
  init(url: TransferURL)
}

extension RecordAdapter {
  package var first: ListingRequest { ListingRequest(url) }
  package var readsErrors: Bool { true }

  package static func source(
    named text: String, in environment: CollectionEnvironment
  ) -> Result<CollectionSource, ListingProblem>? {
    record(named: text)?.flatMap { record in
      let site = record.site ?? environment.endpoint(endpoint.variable, usual: endpoint.usual)
      guard let url = site?.below(record.path + (record.query.map { "?" + $0 } ?? "")) else {
        return .failure(ListingProblem("its URL is too long"))
      }
      return .success(CollectionSource(kind, name: record.name, url: url))
    }
  }

  package init?(_ source: CollectionSource) {
    guard source.kind == Self.kind, case .success(let record)? = Self.record(named: source.name),
      source.url.path.hasSuffix("/" + record.path), source.url.query == record.query,
      source.url.scheme.family == .http, (record.site ?? source.url).origin == source.url.origin
    else { return nil }
    self.init(url: source.url)
  }
}

extension ListingProblem {
  init(quoting text: some StringProtocol, _ words: String) {
    self.init("\"\(String(text).sanitizedForDisplay(limit: 40))\" \(words)")
  }

  /// The words of an answer that is an error, or other words if it has none.
  init(_ service: String, says message: String?, otherwise words: String) {
    let message = message.map { "\(service) says: " + $0.sanitizedForDisplay(limit: 200) }
    self.init(message ?? words)
  }
}

extension ListingPage {
  /// Adds the files that are made of entries. An entry of which none can be made is left out.
  mutating func add<Entry>(_ entries: [Entry], as member: (Entry) -> ListedMember?) {
    let found = entries.compactMap(member)
    members += found
    refusedCount += entries.count - found.count
  }

  var isEmpty: Bool { members.isEmpty && refusedCount == 0 }
}

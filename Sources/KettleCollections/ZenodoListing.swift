import KettleModel

/// Lists the files of a record of Zenodo (https://developers.zenodo.org/#records).
///
/// The number of all versions of a record leads to the latest one, by a redirect. The variable
/// `KETTLE_ZENODO_ENDPOINT` names another server.
package struct ZenodoListing: CollectionAdapter {
  /// What the service says of a record. One whose files are restricted has none.
  private struct Record: Decodable {
    var id: ListedScalar?
    var metadata: Metadata?
    var files: [File]?
    /// Of an answer that is an error.
    var message: ListedScalar?
  }

  private struct Metadata: Decodable {
    var version: ListedScalar?
  }

  private struct File: Decodable {
    struct Links: Decodable {
      var content: ListedScalar?

      enum CodingKeys: String, CodingKey { case content = "self" }
    }

    var key: ListedScalar?
    var size: ListedScalar?
    var checksum: ListedScalar?
    var links: Links?
  }

  private let url: TransferURL

  package let byteCountMax = 16 << 20
  package var first: ListingRequest { ListingRequest(url) }

  private static let prefix = "10.5281/zenodo."

  /// Takes the page of a record, its DOI as a URL, as `doi:` and alone.
  package static func source(
    named text: String, in environment: CollectionEnvironment
  ) -> Result<CollectionSource, ListingProblem>? {
    guard let record = record(named: text) else { return nil }
    guard let number = number(record) else {
      return .failure(
        ListingProblem("\"\(record.sanitizedForDisplay(limit: 40))\" is no number of a record"))
    }
    let endpoint = environment.endpoint("KETTLE_ZENODO_ENDPOINT", usual: "https://zenodo.org")
    guard let url = endpoint?.below("api/records/" + number) else { return nil }
    return .success(
      CollectionSource(.zenodo, name: "https://zenodo.org/records/" + number, url: url))
  }

  package init?(_ source: CollectionSource) {
    guard source.kind == .zenodo, let record = Self.record(named: source.name),
      let number = Self.number(record), source.url.path.hasSuffix("/api/records/" + number),
      source.url.query == nil, source.url.scheme.family == .http
    else { return nil }
    url = source.url
  }

  /// The text in the place of the number.
  private static func record(named text: String) -> String? {
    let name = text.trimmingBlanks().lowercased()
    guard case .success(let parsed) = TransferURL.parse(name) else {
      return record(of: name.hasPrefix("doi:") ? name.dropFirst(4) : name[...])
    }
    let url = parsed.url
    guard url.scheme.family == .http, url.port == url.scheme.defaultPort else { return nil }
    switch url.host {
    case "doi.org", "dx.doi.org", "www.doi.org": return record(of: url.path.dropFirst())
    case "zenodo.org", "www.zenodo.org": break
    default: return nil
    }
    let components = url.components
    guard components.count == 2, let page = components.first, let record = components.last,
      page == "records" || page == "record"
    else { return nil }
    return String(record)
  }

  private static func record(of doi: Substring) -> String? {
    doi.hasPrefix(prefix) ? String(doi.dropFirst(prefix.count)) : nil
  }

  private static func number(_ text: String) -> String? {
    guard let number = DecimalDigits.int64(text[...]), number > 0 else { return nil }
    return String(number)
  }

  package func read(
    _ answer: ListingAnswer, to request: ListingRequest
  ) throws(ListingProblem) -> ListingPage {
    guard let record = ListedJSON.decode(Record.self, from: answer.bytes) else {
      throw ListingProblem("it is not a record of Zenodo")
    }
    guard let number = record.id?.text.flatMap(Self.number) else {
      let words = record.message?.text.map { $0.sanitizedForDisplay(limit: 200) }
      throw ListingProblem(words.map { "Zenodo says: " + $0 } ?? "it is not a record of Zenodo")
    }
    var page = ListingPage()
    let version = record.metadata?.version?.text.map { $0.sanitizedForDisplay(limit: 80) }
    page.version = version.map { "\(number) (\($0))" } ?? number
    for file in record.files ?? [] {
      if let member = member(file, of: number, answer) {
        page.members.append(member)
      } else {
        page.refusedCount += 1
      }
    }
    guard !page.members.isEmpty || page.refusedCount > 0 else {
      throw ListingProblem("the record has no file that is open to the public")
    }
    return page
  }

  /// Returns nil if the name cannot be used. It has directories in records of repositories, such as
  /// `owner/name-1.0.zip`.
  private func member(_ file: File, of number: String, _ answer: ListingAnswer) -> ListedMember? {
    guard let key = file.key?.text, let listed = ListedPath(key),
      let url = link(file, answer) ?? below(number, listed)
    else { return nil }
    return ListedMember(
      path: listed.path, url: url, byteCount: file.size?.byteCount,
      checksum: file.checksum?.text.flatMap { Checksum($0) })
  }

  /// The URL that the documentation names. Only one of the server that has answered counts: behind
  /// a mirror it is one of Zenodo itself.
  private func link(_ file: File, _ answer: ListingAnswer) -> TransferURL? {
    guard let text = file.links?.content?.text, case .success(let parsed) = TransferURL.parse(text),
      parsed.url.origin == answer.url.origin
    else { return nil }
    return parsed.url
  }

  /// The same URL, made of the number of the record that has answered.
  private func below(_ number: String, _ listed: ListedPath) -> TransferURL? {
    guard case .success(let parsed) = url.resolving("\(number)/files/\(listed.reference)/content")
    else { return nil }
    return parsed.url
  }
}

import KettleModel

/// Lists the files of a record of Zenodo (https://developers.zenodo.org/#records).
///
/// The number of all versions of a record leads to the latest one, by a redirect. The variable
/// `KETTLE_ZENODO_ENDPOINT` names another server.
package struct ZenodoListing: RecordAdapter {
  package static let kind = CollectionSource.Kind.zenodo
  package static let endpoint = (
    variable: "KETTLE_ZENODO_ENDPOINT", usual: "https://zenodo.org"
  )

  package let byteCountMax = 16 << 20
  package let url: TransferURL

  package init(url: TransferURL) { self.url = url }

  /// Takes the page of a record, its DOI as a URL, as `doi:` and alone.
  package static func record(named text: String) -> Result<NamedRecord, ListingProblem>? {
    let suffix = NamedRecord.suffix(ofDOI: text, after: "10.5281/zenodo.")
    guard let text = suffix ?? textOfPage(text.lowercased()) else { return nil }
    guard let number = NamedRecord.number(text) else {
      return .failure(ListingProblem(quoting: text, "is no number of a record"))
    }
    return .success(
      NamedRecord(name: "https://zenodo.org/records/" + number, path: "api/records/" + number))
  }

  /// The text in the place of the number.
  private static func textOfPage(_ text: String) -> Substring? {
    let page = NamedRecord.page(text, on: ["zenodo.org", "www.zenodo.org"].contains)
    guard let page, page.count == 2, page.first == "records" || page.first == "record" else {
      return nil
    }
    return page.last
  }

  package func read(
    _ answer: ListingAnswer, to request: ListingRequest
  ) throws(ListingProblem) -> ListingPage {
    let record = ListedJSON.decode(ListedValue.self, from: answer.bytes)
    // A record whose files are restricted has none.
    guard let record, let number = record["id"]?.text.flatMap({ NamedRecord.number($0) }),
      let files = record["files"].map(\.items) ?? []
    else {
      throw ListingProblem(
        "Zenodo", says: record?["message"]?.text, otherwise: "it is not a record of Zenodo")
    }
    var page = ListingPage()
    let version = record["metadata"]?["version"]?.text.map { $0.sanitizedForDisplay(limit: 80) }
    page.version = version.map { "\(number) (\($0))" } ?? number
    page.add(files) { member($0, of: number, answer) }
    guard !page.isEmpty else {
      throw ListingProblem("the record has no file that is open to the public")
    }
    return page
  }

  /// Returns nil if the name cannot be used. It has directories in records of repositories, such as
  /// `owner/name-1.0.zip`.
  private func member(
    _ file: ListedValue, of number: String, _ answer: ListingAnswer
  ) -> ListedMember? {
    guard let key = file["key"]?.text, let listed = ListedPath(key),
      let url = link(file, answer) ?? below(number, listed)
    else { return nil }
    return ListedMember(
      path: listed.path, url: url, byteCount: file["size"]?.scalar.byteCount,
      checksum: file["checksum"]?.text.flatMap { Checksum($0) })
  }

  /// The URL that the documentation names. Only one of the server that has answered counts: behind
  /// a mirror it is one of Zenodo itself.
  private func link(_ file: ListedValue, _ answer: ListingAnswer) -> TransferURL? {
    guard let text = file["links"]?["self"]?.text,
      case .success(let parsed) = TransferURL.parse(text),
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

import KettleModel

/// Lists the files of a dataset of any server that runs Dataverse
/// (https://guides.dataverse.org/en/latest/api/native-api.html#get-version-of-a-dataset).
///
/// One document says the version and all its files, which never change: a file that is replaced
/// gets another number. The variable `KETTLE_DATAVERSE_ENDPOINT` names the server for a DOI, which
/// does not name one itself.
///
/// A table is stored in two forms, as it was uploaded and as tab-separated values. The checksum is
/// that of the upload (https://github.com/IQSS/dataverse/issues/7275), so that is what is fetched.
package struct DataverseListing: RecordAdapter {
  package static let kind = CollectionSource.Kind.dataverse
  package static let endpoint = (
    variable: "KETTLE_DATAVERSE_ENDPOINT", usual: "https://dataverse.harvard.edu"
  )
  private static let prefixOfHarvard = "10.7910/DVN/"

  /// A file takes about 1 KiB.
  package let byteCountMax = 32 << 20
  package let url: TransferURL

  package init(url: TransferURL) { self.url = url }

  /// Takes the page of a dataset, the one that is shown or the one that its DOI leads to, and a DOI
  /// with the prefix of Harvard Dataverse.
  package static func record(named text: String) -> Result<NamedRecord, ListingProblem>? {
    if let suffix = NamedRecord.suffix(ofDOI: text, after: prefixOfHarvard) {
      return record(of: "doi:" + prefixOfHarvard + suffix, version: nil, at: nil)
    }
    guard case .success(let parsed) = TransferURL.parse(text), parsed.url.scheme.family == .http,
      ["/dataset.xhtml", "/citation"].contains(parsed.url.path),
      let id = parsed.url.value(of: "persistentId"), let site = try? parsed.url.resolving("/").get()
    else { return nil }
    return record(of: id, version: parsed.url.value(of: "version"), at: site.url)
  }

  private static func record(
    of id: String, version: String?, at site: TransferURL?
  ) -> Result<NamedRecord, ListingProblem> {
    guard isIdentifier(id) else {
      return .failure(ListingProblem(quoting: id, "is no identifier of a dataset"))
    }
    if let version, !isVersion(version) {
      return .failure(ListingProblem(quoting: version, "is no version that is published"))
    }
    let query = (version.map { "version=\($0)&" } ?? "") + "persistentId=" + id
    return .success(
      NamedRecord(
        name: site.map { $0.text + "dataset.xhtml?" + query } ?? id,
        path: "api/datasets/:persistentId/versions/" + (version ?? ":latest-published"),
        query: "excludeFiles=false&persistentId=" + id, site: site))
  }

  /// Whether it is a scheme and, after a colon, characters that stand for themselves in a query.
  private static func isIdentifier(_ text: String) -> Bool {
    let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
    return parts.count == 2 && !text.hasSuffix("/")
      && parts.allSatisfy { PercentEncoding.encoded(path: $0) == $0 }
  }

  /// Whether it is a number such as `1` or `1.2`. The draft is for those who have written it.
  private static func isVersion(_ text: String) -> Bool {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count <= 2 && parts.allSatisfy { DecimalDigits.int64($0) != nil }
  }

  package func read(
    _ answer: ListingAnswer, to request: ListingRequest
  ) throws(ListingProblem) -> ListingPage {
    let document = ListedJSON.decode(ListedValue.self, from: answer.bytes)
    let version = document?["data"]
    guard let files = version?["files"]?.items,
      let number = version?["versionNumber"]?.text.flatMap({ NamedRecord.number($0) })
    else {
      throw ListingProblem(
        "Dataverse", says: document?["message"]?.text,
        otherwise: "it is not a dataset of Dataverse")
    }
    var page = ListingPage()
    let minor = version?["versionMinorNumber"]?.text.flatMap { NamedRecord.number($0) }
    page.version = number + "." + (minor ?? "0")
    // A server that has moved redirects to the same document elsewhere.
    let base = answer.base(for: url)
    page.add(files) { Self.member($0, at: base) }
    guard !page.members.isEmpty else {
      throw ListingProblem("the dataset has no file that is open to the public")
    }
    return page
  }

  /// Returns nil for a file that not everyone may read, which is left out of the archive that the
  /// service makes of a dataset too, and for one whose name cannot be used.
  private static func member(_ file: ListedValue, at base: TransferURL) -> ListedMember? {
    guard file["restricted"]?.text != "true", let content = file["dataFile"],
      let id = content["id"]?.text.flatMap({ NamedRecord.number($0) })
    else { return nil }
    let isTable = ["originalFileFormat", "UNF"].contains { content[$0]?.text != nil }
    // Old servers do not say its name (https://github.com/IQSS/dataverse/issues/2734).
    let upload = content["originalFileFormat"]?.text.flatMap { _ in
      content["originalFileName"]?.text
    }
    let reference = "../../../access/datafile/" + id + (upload == nil ? "" : "?format=original")
    let name = upload ?? content["filename"]?.text
    guard let path = MemberPath(name, in: file["directoryLabel"]?.text),
      case .success(let parsed) = base.resolving(reference)
    else { return nil }
    var member = ListedMember(path: path, url: parsed.url, stamp: id)
    // Tab-separated values are sent with a line of names that their size does not count.
    if isTable, upload == nil { return member }
    member.byteCount = content[isTable ? "originalFileSize" : "filesize"]?.scalar.byteCount
    let digest = content["checksum"]
    let algorithm = digest?["type"]?.text?.filter { $0 != "-" } ?? "md5"
    member.checksum = (digest?["value"] ?? content["md5"])?.text.flatMap {
      Checksum(algorithm + ":" + $0)
    }
    return member
  }
}

extension TransferURL {
  /// The first value of a parameter of the query, decoded.
  fileprivate func value(of name: String) -> String? {
    let pair = query?.split(separator: "&").first { $0.hasPrefix(name + "=") }
    return pair.flatMap { Self.percentDecoded($0.dropFirst(name.count + 1)) }
  }
}

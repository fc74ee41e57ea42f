import KettleModel
import Testing

@testable import KettleCollections

struct DataverseListingTests {
  private static let md5 = String(repeating: "1", count: 32)
  private static let sha256 = String(repeating: "2", count: 64)
  private static let endpoint = ["KETTLE_DATAVERSE_ENDPOINT": "http://127.0.0.1:9000/d"]
  private static let page = "https://data.example/dataset.xhtml?"
  private static let query = "?excludeFiles=false&persistentId=doi:10.7910/DVN/ARKOTI"

  private func source(
    _ text: String, _ variables: [String: String] = [:]
  ) -> Result<CollectionSource, ListingProblem>? {
    DataverseListing.source(named: text, in: CollectionEnvironment(variables))
  }

  private func read(
    _ text: String, _ variables: [String: String] = [:], answeredBy other: String? = nil
  ) throws -> ListingPage {
    let source = try #require(try source("10.7910/DVN/ARKOTI", variables)?.get())
    let listing = try #require(DataverseListing(source))
    let url = try other.map { try TransferURL.parse($0).get().url } ?? source.url
    return try listing.read(ListingAnswer(url, Array(text.utf8)), to: listing.first)
  }

  private func read(files: String) throws -> ListingPage {
    try read(#"{"status": "OK", "data": {"versionNumber": 1, "files": [\#(files)]}}"#)
  }

  private func problem(_ text: String) -> String? {
    do {
      _ = try read(text)
      return nil
    } catch {
      return (error as? ListingProblem)?.words
    }
  }

  @Test(arguments: [
    "https://doi.org/10.7910/DVN/ARKOTI", "http://dx.doi.org/10.7910/DVN/ARKOTI",
    "doi:10.7910/DVN/ARKOTI", "DOI:10.7910/dvn/ARKOTI", " 10.7910/DVN/ARKOTI\n",
  ])
  func `a DOI of Harvard is a source`(text: String) throws {
    let found = try #require(try source(text)?.get())
    #expect(found.kind == .dataverse)
    #expect(found.name == "doi:10.7910/DVN/ARKOTI")
    #expect(found.directoryName?.text == "ARKOTI")
    #expect(
      found.url.text
        == "https://dataverse.harvard.edu/api/datasets/:persistentId/versions/:latest-published"
        + Self.query)
    let listing = try #require(DataverseListing(found))
    #expect(listing.first == ListingRequest(found.url))
    #expect(try source(found.name)?.get() == found)
    let mirrored = try #require(try source(found.name, Self.endpoint)?.get())
    #expect(mirrored.name == found.name)
    #expect(
      mirrored.url.text
        == "http://127.0.0.1:9000/d/api/datasets/:persistentId/versions/:latest-published"
        + Self.query)
    #expect(DataverseListing(mirrored) != nil)
  }

  @Test(arguments: [
    (
      "https://data.example/dataset.xhtml?persistentId=doi:10.5072/FK2/J8SJZB",
      "persistentId=doi:10.5072/FK2/J8SJZB", ":latest-published", "J8SJZB"
    ),
    (
      "https://data.example/citation?persistentId=doi%3A10.5072%2FFK2%2FJ8SJZB&version=1.2#x",
      "version=1.2&persistentId=doi:10.5072/FK2/J8SJZB", "1.2", "J8SJZB"
    ),
    (
      "https://data.example/dataset.xhtml?version=2&persistentId=hdl:1902.1/12612&faces-redirect=true",
      "version=2&persistentId=hdl:1902.1/12612", "2", "12612"
    ),
    (
      "https://DATA.example/dataset.xhtml?persistentId=perma:abc-1",
      "persistentId=perma:abc-1", ":latest-published", "abc-1"
    ),
  ])
  func `the page of a dataset is a source`(
    text: String, query: String, version: String, directory: String
  ) throws {
    for variables in [[:], Self.endpoint] {
      let source = try #require(try source(text, variables)?.get())
      #expect(source.kind == .dataverse)
      #expect(source.name == Self.page + query)
      #expect(source.directoryName?.text == directory)
      #expect(
        source.url.path == "/api/datasets/:persistentId/versions/" + version
          && source.url.host == "data.example")
      #expect(DataverseListing(source) != nil)
      #expect(try self.source(source.name)?.get() == source)
    }
  }

  @Test func `a server may have any port`() throws {
    let source = try #require(
      try source("http://localhost:8080/dataset.xhtml?persistentId=doi:10.5072/FK2/A")?.get())
    #expect(source.name == "http://localhost:8080/dataset.xhtml?persistentId=doi:10.5072/FK2/A")
    #expect(source.url.origin.text == "http://localhost:8080")
  }

  @Test(arguments: [
    "https://data.example/", "https://data.example/dataset.xhtml",
    page + "id=24", page + "xpersistentId=a:b",
    "https://data.example/file.xhtml?persistentId=doi:10.5072/FK2/A",
    "https://data.example/x/dataset.xhtml?persistentId=doi:10.5072/FK2/A",
    "ftp://data.example/dataset.xhtml?persistentId=doi:10.5072/FK2/A",
    "https://doi.org/10.70122/FK2/HXJVJU", "10.7910/OTHER/A", "ARKOTI", "",
  ])
  func `other text is not a source`(text: String) {
    #expect(source(text) == nil)
  }

  @Test(arguments: [
    page + "persistentId=", page + "persistentId=x", page + "persistentId=:x",
    page + "persistentId=doi:", page + "persistentId=doi:10.5072/FK2/A%26key%3Db",
    page + "persistentId=doi:a:b", "10.7910/DVN/", "10.7910/DVN/a b",
    page + "persistentId=doi:10.5072/FK2/A&version=DRAFT",
    page + "persistentId=doi:10.5072/FK2/A&version=:draft",
    page + "persistentId=doi:10.5072/FK2/A&version=1.2.3",
    page + "persistentId=doi:10.5072/FK2/A&version=1.",
    page + "persistentId=doi:10.5072/FK2/A&version=..%2F1",
  ])
  func `a dataset without an identifier or a version is a problem`(text: String) {
    #expect(throws: ListingProblem.self) { try source(text)?.get() }
  }

  @Test func `a record that others changed is refused`() throws {
    let id = "persistentId=doi:10.5072/FK2/A"
    let known = try #require(try source(Self.page + id)?.get())
    let names = [
      Self.page + "persistentId=doi:10.5072/FK2/B", Self.page + "version=1.0&" + id,
      "https://other.example/dataset.xhtml?" + id, "doi:10.7910/DVN/A", "x",
    ]
    for name in names {
      var other = known
      other.name = name
      #expect(DataverseListing(other) == nil)
    }
  }

  // https://guides.dataverse.org/en/latest/api/native-api.html#get-version-of-a-dataset, and the
  // file of https://github.com/IQSS/dataverse/issues/11315
  @Test func `a dataset lists its files`() throws {
    let page = try read(
      """
      {"status": "OK", "data": {
        "id": 7, "datasetId": 24, "datasetPersistentId": "doi:10.7910/DVN/ARKOTI",
        "versionNumber": 2, "versionMinorNumber": 1, "versionState": "RELEASED",
        "license": {"name": "CC0 1.0"}, "metadataBlocks": {"citation": {"fields": []}},
        "files": [
          {"description": "", "label": "read me.txt", "restricted": false, "version": 1,
           "datasetVersionId": 7, "dataFile": {
             "id": 51858, "persistentId": "", "filename": "read me.txt",
             "contentType": "text/plain", "filesize": 94, "storageIdentifier": "s3://b:1",
             "rootDataFileId": -1, "md5": "\(Self.md5)",
             "checksum": {"type": "MD5", "value": "\(Self.md5)"}, "tabularData": false}},
          {"label": "TableS7.tab", "restricted": false, "directoryLabel": "test/tables",
           "dataFile": {
             "id": 51859, "filename": "TableS7.tab", "contentType": "text/tab-separated-values",
             "filesize": 181528, "originalFileFormat": "application/vnd.ms-excel",
             "originalFormatLabel": "MS Excel Spreadsheet", "originalFileSize": 267297,
             "originalFileName": "TableS7.xlsx", "UNF": "UNF:6:THbSVfLiqCuW/Dt51uiCIw==",
             "checksum": {"type": "SHA-256", "value": "\(Self.sha256)"}, "tabularData": true}},
          {"label": "secret.dta", "restricted": true, "dataFile": {
             "id": 51860, "filename": "secret.dta", "filesize": 5, "md5": "\(Self.md5)"}}
        ]}}
      """)
    let access = "https://dataverse.harvard.edu/api/access/datafile/"
    #expect(page.version == "2.1")
    #expect(page.members.map(\.path.text) == ["read me.txt", "test/tables/TableS7.xlsx"])
    #expect(
      page.members.map(\.url.text) == [access + "51858", access + "51859?format=original"])
    #expect(page.members.map(\.byteCount) == [94, 267_297])
    #expect(
      page.members.map(\.checksum?.text) == ["md5:" + Self.md5, "sha256:" + Self.sha256])
    #expect(page.members.map(\.stamp) == ["51858", "51859"])
    #expect(page.refusedCount == 1 && page.further.isEmpty)
  }

  @Test func `a server that has moved has the files`() throws {
    let file = #"{"dataFile": {"id": 1, "filename": "a"}}"#
    let path = "/api/datasets/:persistentId/versions/:latest-published"
    for (answered, url) in [
      ("https://new.example\(path)", "https://new.example/api/access/datafile/1"),
      ("https://store.example/x", "http://127.0.0.1:9000/d/api/access/datafile/1"),
    ] {
      let page = try read(
        #"{"data": {"versionNumber": 1, "files": [\#(file)]}}"#, Self.endpoint,
        answeredBy: answered)
      #expect(page.version == "1.0")
      #expect(page.members.map(\.url.text) == [url])
    }
  }

  @Test func `a table without the name of the upload has no size and no digest`() throws {
    let proof = #""filesize": 5, "originalFileSize": 9, "md5": "\#(Self.md5)""#
    let page = try read(
      files: """
        {"dataFile": {"id": 1, "filename": "a.tab", \(proof),
          "originalFileFormat": "application/x-stata"}},
        {"dataFile": {"id": 2, "filename": "b.tab", \(proof), "UNF": "UNF:6:x",
          "originalFileFormat": null, "originalFileName": "b.dta"}},
        {"dataFile": {"id": 3, "filename": "c.tsv", \(proof), "originalFileFormat": null}},
        {"dataFile": {"id": 4, "filename": "d.tab", \(proof), "originalFileFormat": "a",
          "originalFileName": null}}
        """)
    #expect(page.members.map(\.path.text) == ["a.tab", "b.tab", "c.tsv", "d.tab"])
    #expect(page.members.allSatisfy { $0.url.query == nil })
    #expect(page.members.map(\.byteCount) == [nil, nil, 5, nil])
    #expect(page.members.map(\.checksum?.hex) == [nil, nil, Self.md5, nil])
  }

  @Test(arguments: [
    (
      #"{"status": "ERROR", "message": "Dataset not found"}"#,
      "Dataverse says: Dataset not found"
    ),
    (
      #"{"data": {"versionNumber": 1, "files": []}}"#,
      "the dataset has no file that is open to the public"
    ),
    (
      #"{"data": {"versionNumber": 1, "files": [{"restricted": true, "dataFile": {"id": 1}}]}}"#,
      "the dataset has no file that is open to the public"
    ),
    // A draft has no number.
    (#"{"data": {"versionState": "DRAFT", "files": []}}"#, "it is not a dataset of Dataverse"),
    (#"{"data": {"versionNumber": 1}}"#, "it is not a dataset of Dataverse"),
    (#"{"data": {"versionNumber": 1, "files": {}}}"#, "it is not a dataset of Dataverse"),
    (#"{"data": {"versionNumber": -1, "files": []}}"#, "it is not a dataset of Dataverse"),
    (#"{"data": []}"#, "it is not a dataset of Dataverse"),
    ("{}", "it is not a dataset of Dataverse"), ("[]", "it is not a dataset of Dataverse"),
    ("<html></html>", "it is not a dataset of Dataverse"),
    (String(repeating: "{\"a\":", count: 100_000), "it is not a dataset of Dataverse"),
  ])
  func `a document without files says why`(text: String, words: String) {
    #expect(problem(text) == words)
  }

  @Test func `hostile values are refused or left out`() throws {
    let page = try read(
      files: """
        {"dataFile": {"id": 1, "filename": "../x"}}, {"dataFile": {"id": 1, "filename": "/x"}},
        {"dataFile": {"id": 1, "filename": "a/b"}}, {"dataFile": {"id": 1, "filename": ""}},
        {"dataFile": {"id": 1}}, {"dataFile": {"filename": "x"}}, {}, 7, null, [],
        {"dataFile": {"id": -1, "filename": "x"}}, {"dataFile": {"id": "../1", "filename": "x"}},
        {"dataFile": {"id": 0, "filename": "x"}}, {"dataFile": []}, {"dataFile": "x"},
        {"directoryLabel": "a/../../b", "dataFile": {"id": 1, "filename": "x"}},
        {"directoryLabel": ["a"], "dataFile": {"id": 1, "filename": ["x"]}},
        {"dataFile": {"id": 2, "filename": "x.tab", "originalFileFormat": "a",
          "originalFileName": "../y"}},
        {"directoryLabel": "/c//d/", "dataFile": {"id": 3, "filename": "a", "filesize": -1,
          "checksum": {"type": "CRC-32", "value": "11"}}},
        {"dataFile": {"id": 4, "filename": "b", "filesize": 99999999999999999999,
          "checksum": "\(Self.md5)", "md5": 5}},
        {"dataFile": {"id": 5, "filename": "c", "checksum": {"value": "\(Self.md5)"}}}
        """)
    #expect(page.members.map(\.path.text) == ["c/d/a", "b", "c"])
    #expect(page.members.map(\.byteCount) == [nil, nil, nil])
    #expect(page.members.map(\.checksum?.hex) == [nil, nil, Self.md5])
    #expect(page.refusedCount == 18)
  }

  @Test func `a dataset of many files takes little time`() throws {
    let files = (1...5_000).map {
      #"{"dataFile": {"id": \#($0), "filename": "f\#($0)", "md5": "\#(Self.md5)"}}"#
    }
    #expect(try read(files: files.joined(separator: ",")).members.count == 5_000)
  }
}

import Foundation
import KettleModel
import Testing

/// Which transfer a download from a page is the fresh link of.
struct DownloadPageTests {
  private static let page = "https://example.org/files"
  private static let byteCount: Int64 = 5000

  private func url(_ text: String) throws -> TransferURL { try TransferURL.parse(text).get().url }

  private func spec(
    _ url: String = "https://cdn.example/a?token=1", from page: String? = Self.page,
    named name: String? = "a.iso", byteCount: Int64? = Self.byteCount
  ) throws -> TransferSpec {
    var spec = TransferSpec(url: try self.url(url))
    spec.name = name.flatMap { FileName(foreign: $0) }
    spec.options.page = try page.map { DownloadPage(try self.url($0), byteCount: byteCount) }
    return spec
  }

  /// A transfer whose link is dead.
  private func dead(_ spec: TransferSpec, _ number: Int64 = 1) -> TransferRecord {
    var record = TransferRecord(
      id: TransferID(rawValue: number), taskIdentifier: number, spec: spec,
      createdAt: WallTime(millisecondsSince1970: 0), queuePosition: number, state: .waiting)
    record.reason = .needsLink
    record.failure = TransferFailure(.linkExpired, on: spec.url.text)
    return record
  }

  private func failed(_ detail: String, _ code: TransferFailure.Code = .httpStatus) throws
    -> TransferRecord
  {
    var record = dead(try spec())
    (record.state, record.reason) = (.failed, nil)
    record.failure = TransferFailure(code, on: record.spec.url.text, detail: detail)
    return record
  }

  private func resumed(_ record: TransferRecord, named name: String, total: Int64?)
    -> TransferRecord
  {
    var record = record
    record.resumeData = ResumeData(
      partialPath: "/d/\(name).part", device: 1, inode: 2, durable: ByteRangeSet(prefix: 100),
      totalByteCount: total, validator: nil, finalName: name)
    return record
  }

  @Test func `the same name and size from the same page are the same file`() throws {
    let old = dead(try spec())
    #expect(old.waits(forLinkOf: try spec("https://other.example/b?token=2")))
    // Sites keep numbers of visits in the query.
    #expect(old.waits(forLinkOf: try spec(from: Self.page + "?visit=7")))
    #expect([old].one(waitingForLinkOf: try spec())?.id == old.id)
  }

  @Test func `what differs or is not known is another file`() throws {
    let old = dead(try spec())
    for (index, new) in [
      try spec(from: "https://example.org/other"), try spec(from: "http://example.org/files"),
      try spec(from: "https://example.org:8443/files"), try spec(from: "https://b.example/files"),
      try spec(from: nil), try spec(named: "b.iso"), try spec(named: "A.iso"),
      try spec(named: nil), try spec(byteCount: 5001), try spec(byteCount: nil),
    ].enumerated() {
      #expect(!old.waits(forLinkOf: new), "\(index)")
    }
    #expect(!dead(try spec(byteCount: nil)).waits(forLinkOf: try spec(byteCount: nil)))
    #expect(!dead(try spec(from: nil)).waits(forLinkOf: try spec()))
  }

  @Test func `what the server has said of the file counts more than the browser`() throws {
    let old = dead(try spec(named: nil, byteCount: 1))
    #expect(
      resumed(old, named: "a.iso", total: Self.byteCount).waits(forLinkOf: try spec()))
    #expect(!resumed(old, named: "a.iso", total: 1).waits(forLinkOf: try spec()))
    #expect(!resumed(old, named: "b.iso", total: Self.byteCount).waits(forLinkOf: try spec()))
    #expect(
      resumed(dead(try spec()), named: "a.iso", total: nil).waits(forLinkOf: try spec()))
  }

  @Test(arguments: [
    ("403 Forbidden", true), ("404 Not Found", true), ("410 Gone", true), ("401", false),
    ("451", false), ("500 Internal Server Error", false), ("", false),
  ])
  func `a failed transfer waits for a link if the server refused the old one`(
    detail: String, waits: Bool
  ) throws {
    #expect(try failed(detail).waits(forLinkOf: spec()) == waits)
  }

  @Test func `only a dead link is replaced`() throws {
    var record = dead(try spec())
    for reason in WaitingReason.allCases {
      record.reason = reason
      #expect(record.waitsForLink == (reason == .needsLink), "\(reason)")
    }
    record.reason = nil
    for state in TransferState.allCases where state != .waiting {
      record.state = state
      #expect(record.waitsForLink == (state == .failed), "\(state)")
    }
    #expect(try failed("", .linkExpired).waitsForLink)
    #expect(try !failed("no space", .diskFull).waitsForLink)
  }

  @Test func `a link from the page that led to another file is not replaced by the next`() throws {
    var record = dead(try spec())
    record.failure = TransferFailure(.otherFile, on: record.spec.url.text)
    #expect(record.waitsForLink)
    record.spec.options.page?.hasFreshLink = true
    #expect(!record.waitsForLink)
    record.failure = TransferFailure(.linkExpired, on: record.spec.url.text)
    #expect(record.waitsForLink)
  }

  @Test func `tasks, collections, their files and other requests keep their links`() throws {
    func waits(_ change: (inout TransferSpec) throws -> Void) throws -> Bool {
      var changed = try spec()
      try change(&changed)
      return dead(changed).waits(forLinkOf: try spec())
    }
    #expect(try waits { _ in })
    #expect(try !waits { $0.session = SessionID(rawValue: "books") })
    #expect(try !waits { $0.task = TaskOptions(kind: .download) })
    #expect(try !waits { $0.source = ChainedURL(given: try url("ftp://cdn.example/a")) })
    #expect(try !waits { $0.request = RequestContent(method: "POST") })
  }

  @Test func `several candidates are none`() throws {
    let both = [dead(try spec(), 1), dead(try spec("https://cdn.example/b"), 2)]
    #expect(both.one(waitingForLinkOf: try spec()) == nil)
    let others = both + [dead(try spec(named: "c.iso"), 3)]
    #expect(others.one(waitingForLinkOf: try spec(named: "c.iso"))?.id.rawValue == 3)
    #expect([TransferRecord]().one(waitingForLinkOf: try spec()) == nil)
  }

  @Test func `a Referer that was given is the page of a transfer without another`() throws {
    func referred(_ value: String) throws -> TransferSpec {
      var spec = try spec(from: nil)
      spec.headers = [HeaderField(name: "referer", value: value)].compactMap(\.self)
      return spec
    }
    #expect(try referred("https://me:pw@example.org/files?a#b").page?.text == Self.page + "?a")
    for value in ["javascript:alert(1)", "file:///etc/passwd", "ftp://example.org/", "files"] {
      #expect(try referred(value).page == nil, "\(value)")
    }
    #expect(try referred("https://b.example/").options.page == nil)
    let old = resumed(dead(try referred(Self.page)), named: "a.iso", total: Self.byteCount)
    #expect(old.waits(forLinkOf: try spec()))
  }

  @Test func `a page is one of the web, and survives the store`() throws {
    var bad = try spec()
    bad.options.page = DownloadPage(try url("ftp://example.org/files"))
    #expect(bad.refusedPart == "options.page")
    bad.options.page = DownloadPage(try url(Self.page), byteCount: 0)
    #expect(bad.refusedPart == "options.page")
    let good = try spec()
    #expect(good.refusedPart == nil)
    let stored = try JSONEncoder().encode(good)
    #expect(try JSONDecoder().decode(TransferSpec.self, from: stored) == good)
  }
}

import KettleModel
import Testing

@testable import KettleScheduler

/// Web pages that arrive in place of files.
struct PageInsteadTests {
  private let html = ["Content-Type": "text/html; charset=utf-8", "Content-Length": "1000"]

  /// Downloads a page under a name up to the point where the file would be placed.
  private func arrived(
    _ script: inout SchedulerScript, _ spec: TransferSpec, finalName: String = "a.iso"
  ) throws -> TransferID {
    let id = script.add(spec)
    let attempt = try #require(script.attempt)
    script.head(attempt, 200, html)
    var resumeData = partial(entityTag: nil)
    resumeData.finalName = finalName
    resumeData.mediaType = "text/html"
    script.opened(attempt, resumeData)
    script.settled(attempt, .complete, durable: 1000)
    return id
  }

  @Test(arguments: [
    ("a.iso", true), ("A.ISO", true), ("b.tar.gz", true), ("c.pdf", true), ("d.epub", true),
    ("a.html", false), ("iso", false), ("a.iso.html", false), ("", false), ("page", false),
    ("model.safetensors", true), ("model.gguf", true), ("a.whl", true), ("a.docx", true),
    ("Tool.AppImage", true), ("a.msi", true), ("a.bin", true), ("a.csv", true), ("a.h5", true),
    ("show.m3u8", true), ("show.mpd", true), ("a.meta4", true), ("a.mp3", true), ("a.7z", true),
    ("film.3gp", true), ("a.flatpakref", true), ("a.unheardof", true), ("a.zip.001", true),
    ("a.php", false), ("A.PHTML", false), ("a.aspx", false), ("a.jsp", false), ("a.cgi", false),
    ("a.txt", false), ("README.md", false), ("a.xml", false), ("a.svg", false), ("a.json", false),
    ("name-1.2", false), ("v2.0rc1", false), ("release-2026.11.27", false), (".profile", false),
    ("www.example.com", false), ("Dr._Strangelove", false), ("1.5 Hello", false), ("a.", false),
  ])
  func `the name decides whether a page is expected`(name: String, isInstead: Bool) {
    #expect(PageInstead.isLikely(mediaType: "text/html", name: name) == isInstead)
    #expect(PageInstead.isLikely(mediaType: "application/xhtml+xml", name: name) == isInstead)
    #expect(!PageInstead.isLikely(mediaType: "application/octet-stream", name: name))
    #expect(!PageInstead.isLikely(mediaType: nil, name: name))
  }

  @Test func `a page under the name of an image waits for a decision`() throws {
    var script = SchedulerScript()
    let id = try arrived(&script, spec())
    let record = try #require(script.record(id))
    #expect(record.state == .waiting)
    #expect(record.reason == .needsDecision)
    #expect(record.failure?.code == .webPage)
    #expect(record.resumeData?.durable.byteCount == 1000)
    #expect(script.lastAction == record.resumeData.map { .readTitle(id, $0) })
    script.handle(.file(id, .titleRead("Please log in")))
    #expect(script.record(id)?.failure?.detail == "Please log in")
    #expect(script.scheduler.nextWakeUp(at: script.now) == nil)
  }

  @Test func `an accepted page becomes the file, also after a restart`() throws {
    var script = SchedulerScript()
    let id = try arrived(&script, spec())
    let record = try #require(script.record(id))
    script.scheduler = TransferScheduler()
    script.run(script.scheduler.recover([record], at: script.now))
    #expect(script.record(id)?.reason == .needsDecision)
    #expect(script.control(.accept, id) == .applied)
    guard case .placeFile(id, _, _, _)? = script.lastAction else {
      Issue.record("It is not placed: \(String(describing: script.lastAction))")
      return
    }
    #expect(script.record(id)?.resumeData?.mediaType == nil)
    #expect(script.control(.accept, id) == .refused(.nothingToDecide))
  }

  @Test func `a start requests the file again from zero`() throws {
    var script = SchedulerScript()
    let id = try arrived(&script, spec())
    script.control(.start, id)
    #expect(script.state(id) == .running)
    #expect(script.plan?.requested == nil)
    #expect(script.record(id)?.freshStart == .asked)
    #expect(script.record(id)?.resumeData?.durable.isEmpty == true)
  }

  @Test func `a pause and a start request the file again as well`() throws {
    var script = SchedulerScript()
    let id = try arrived(&script, spec())
    script.control(.pause, id)
    #expect(script.state(id) == .paused)
    script.control(.start, id)
    #expect(script.plan?.requested == nil)
    #expect(script.state(id) == .running)
  }

  @Test func `only a transfer that asks can be accepted`() {
    var script = SchedulerScript()
    let id = script.add(spec())
    #expect(script.control(.accept, id) == .refused(.nothingToDecide))
    #expect(script.control(.accept, TransferID(rawValue: 99)) == .refused(.unknown))
  }

  @Test func `a page under its own name is a file`() throws {
    var script = SchedulerScript()
    let id = try arrived(&script, spec("http://files.example/a.html"), finalName: "a.html")
    #expect(script.state(id) == .verifying)
  }

  @Test(arguments: [
    ("<html><title>Error</title>", "Error"),
    ("<TITLE lang=en>\n Two\t words </TITLE>", "Two words"),
    ("<title>a &amp;lt; b &quot;c&quot;</title>", "a &lt; b \"c\""), ("<title></title>", nil),
    ("<title>never closed", nil), ("no title", nil), ("", nil), ("<title", nil),
    ("<title>\u{1B}[31mred</title>", "\u{FFFD}[31mred"),
  ])
  func `the title of a page is read`(page: String, title: String?) {
    #expect(PageTitle.title(in: Array(page.utf8)) == title)
  }

  @Test func `a title beyond the first 64 KiB is not read, and a long one is cut`() {
    let late = String(repeating: " ", count: 64 << 10) + "<title>late</title>"
    #expect(PageTitle.title(in: Array(late.utf8)) == nil)
    let long = "<title>" + String(repeating: "x", count: 500) + "</title>"
    #expect(PageTitle.title(in: Array(long.utf8))?.count == 101)
  }
}

/// Web pages that arrive in place of documents that name a file.
struct PageInsteadOfDocumentTests {
  private let html = ["Content-Type": "text/html", "Content-Length": "1000"]
  private let page = AttemptOutcome.document(
    ArrivedDocument(
      Array("<!DOCTYPE HTML>\n<HTML><title>Sign in</title>".utf8), as: .playlist))

  // Fault 145
  @Test(arguments: ["show.m3u8", "a.meta4", "a.metalink"])
  func `a page in place of a playlist or a Metalink is fetched as the file and asks`(
    name: String
  ) throws {
    var script = SchedulerScript()
    let id = script.add(spec("http://files.example/\(name)"))
    let first = try #require(script.attempt)
    script.head(first, 200, html)
    script.settled(first, page)
    let second = try #require(script.attempt)
    #expect(second != first)
    script.head(second, 200, html)
    var resumeData = partial(entityTag: nil)
    resumeData.finalName = name
    resumeData.mediaType = "text/html"
    script.opened(second, resumeData)
    script.settled(second, .complete, durable: 1000)
    #expect(script.record(id)?.reason == .needsDecision)
    #expect(script.record(id)?.spec.options.isAsIs == false)
    // The next request is for the document again.
    script.control(.start, id)
    let third = try #require(script.attempt)
    script.head(third, 200)
    guard case .acceptDocument? = script.lastAction else {
      Issue.record("\(String(describing: script.lastAction))")
      return
    }
  }

  /// The page was that of a network or a moment; the playlist is not its own file.
  @Test(arguments: [
    ("show.m3u8", "application/vnd.apple.mpegurl"), ("a.meta4", "application/metalink4+xml"),
    ("a.meta4", "text/plain"),
  ])
  func `a document that comes after a page is requested again as a document`(
    name: String, type: String
  ) throws {
    var script = SchedulerScript()
    let id = script.add(spec("http://files.example/\(name)"))
    let first = try #require(script.attempt)
    script.head(first, 200, html)
    script.settled(first, page)
    let second = try #require(script.attempt)
    script.head(second, 200, ["Content-Type": type, "Content-Length": "100"])
    #expect(script.bodyPlan == nil)
    script.settled(second, .cancelled)
    #expect(script.record(id)?.failure?.code == .contradictoryReply)
    script.advance(milliseconds: 5000)
    script.timePasses()
    let third = try #require(script.attempt)
    #expect(third != second)
    script.head(third, 200)
    guard case .acceptDocument? = script.lastAction else {
      Issue.record("\(String(describing: script.lastAction))")
      return
    }
  }

  // Fault 145
  @Test func `a playlist after a page has the name of its recording`() throws {
    var script = SchedulerScript()
    let id = script.add(spec("http://files.example/show.m3u8"))
    for outcome in [page, AttemptOutcome.complete] {
      let attempt = try #require(script.attempt)
      script.head(attempt, 200, html)
      if outcome == .complete {
        var resumeData = partial(entityTag: nil)
        resumeData.finalName = "show.m3u8"
        resumeData.mediaType = "text/html"
        script.opened(attempt, resumeData)
      }
      script.settled(attempt, outcome, durable: outcome == .complete ? 1000 : nil)
    }
    #expect(script.record(id)?.reason == .needsDecision)
    script.control(.start, id)
    let text = "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\na.ts\n#EXT-X-ENDLIST\n"
    let document = try #require(script.attempt)
    script.head(document, 200)
    script.settled(document, .document(ArrivedDocument(Array(text.utf8), as: .playlist)))
    script.head(try #require(script.attempt), 200, ["Content-Length": "100"])
    guard case .goOn(let resumeData)? = script.bodyPlan else {
      Issue.record("\(String(describing: script.bodyPlan))")
      return
    }
    #expect(resumeData.finalName == "show.ts")
    #expect(resumeData.durable.isEmpty)
  }

  @Test func `a playlist is used whatever type its server gives it`() throws {
    var script = SchedulerScript()
    script.add(spec("http://files.example/show.m3u8"))
    let first = try #require(script.attempt)
    script.head(first, 200, html)
    let text = "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\na.ts\n#EXT-X-ENDLIST\n"
    script.settled(first, .document(ArrivedDocument(Array(text.utf8), as: .playlist)))
    #expect(script.plan?.url.text == "http://files.example/a.ts")
  }

  // Fault 145
  @Test func `a page in place of a playlist that was begun keeps what was joined`() throws {
    var script = SchedulerScript()
    let id = script.add(spec("http://files.example/show.m3u8"))
    let text =
      "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\na.ts\n#EXTINF:6,\nb.ts\n#EXT-X-ENDLIST\n"
    let first = try #require(script.attempt)
    script.head(first, 200)
    script.settled(first, .document(ArrivedDocument(Array(text.utf8), as: .playlist)))
    let segment = try #require(script.attempt)
    script.head(segment, 200, ["Content-Length": "100"])
    script.opened(segment, partial(total: nil, entityTag: nil))
    script.settled(segment, .complete, durable: 100)
    script.control(.pause, id)
    script.settled(try #require(script.attempt), .cancelled)
    script.control(.start, id)
    let again = try #require(script.attempt)
    script.head(again, 200, html)
    script.settled(again, page)
    // A network may ask to sign in for a moment. The user is asked when the retries are used up.
    #expect(script.record(id)?.reason == .retry)
    #expect(script.record(id)?.resumeData?.playlist?.joinedCount == 1)
  }
}

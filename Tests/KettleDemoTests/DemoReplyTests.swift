import Testing

@testable import KettleDemo

struct DemoReplyTests {
  private let item = DemoItem(
    title: "T", fileName: "guide.pdf", byteCount: 1_000, bytesPerSecond: 1_000)

  private func reply(
    _ method: String = "GET", _ target: String = "/guide.pdf", range: String? = nil,
    ifRange: String? = nil
  ) -> DemoReply {
    DemoReply(
      method: method, target: target, range: range, ifRange: ifRange,
      catalogue: DemoCatalogue(items: [item]))
  }

  private func reply(
    _ conduct: DemoConduct, method: String = "GET", range: String? = nil,
    authorization: String? = nil
  ) -> DemoReply {
    var item = item
    item.conduct = conduct
    return DemoReply(
      method: method, target: item.path, range: range, ifRange: nil, authorization: authorization,
      catalogue: DemoCatalogue(items: [item]))
  }

  @Test func `a reply that breaks does so once: the rest can be requested`() {
    var item = item
    item.conduct = .breaks
    let reply = reply(.breaks)
    #expect(reply.status == 200)
    #expect(reply.value(of: "Content-Length") == "1000")
    #expect(reply.body == .broken(item, 0..<400))
    #expect(self.reply(.breaks, range: "bytes=400-").body == .file(item, 400..<1_000))
    #expect(self.reply(.breaks, range: "bytes=0-99").body == .file(item, 0..<100))
  }

  @Test func `a login is asked for, and the right one is accepted`() {
    #expect(reply(.login).status == 401)
    #expect(reply(.login).value(of: "WWW-Authenticate") == "Basic realm=\"Tea Club\"")
    #expect(reply(.login, authorization: "Basic dGVhOmN1cA==").status == 401)
    #expect(reply(.login, authorization: "Basic dGVhOnBvdA==").status == 200)
  }

  @Test func `a page comes instead of a file, or nothing`() {
    let page = reply(.page)
    #expect(page.status == 200)
    #expect(page.value(of: "Content-Type") == "text/html; charset=utf-8")
    guard case .page(let text) = page.body else {
      Issue.record("no page")
      return
    }
    #expect(page.value(of: "Content-Length") == String(text.utf8.count))
    #expect(text.contains("<title>Choose a mirror</title>"))
    #expect(reply(.page, method: "HEAD").body == nil)
    #expect(reply(.missing).status == 404)
  }

  @Test func `the list of checksums names what comes by itself`() {
    var (login, broken) = (item, item)
    (login.fileName, login.conduct) = ("login.pdf", .login)
    (broken.fileName, broken.conduct, broken.sha256) = ("broken.pdf", .breaks, "abc")
    func reply(_ method: String) -> DemoReply {
      DemoReply(
        method: method, target: "/SHA256SUMS", range: nil, ifRange: nil,
        catalogue: DemoCatalogue(items: [login, broken]))
    }
    #expect(reply("GET").status == 200)
    #expect(reply("GET").value(of: "Content-Type") == "text/plain; charset=utf-8")
    #expect(reply("GET").body == .page("abc  broken.pdf\n"))
    #expect(reply("HEAD").value(of: "Content-Length") == "16")
    #expect(reply("HEAD").body == nil)
  }

  @Test func `a complete reply has the headers needed to resume it`() {
    let reply = reply()
    #expect(reply.status == 200)
    #expect(reply.value(of: "Content-Length") == "1000")
    #expect(reply.value(of: "Accept-Ranges") == "bytes")
    #expect(reply.value(of: "Content-Type") == "application/pdf")
    #expect(reply.value(of: "Content-Disposition") == "attachment; filename=\"guide.pdf\"")
    #expect(reply.value(of: "ETag") == item.entityTag)
    #expect(reply.value(of: "Last-Modified") == "Thu, 01 Jan 2026 00:00:00 GMT")
    #expect(reply.value(of: "Content-Range") == nil)
    #expect(reply.body == .file(item, 0..<1_000))
  }

  @Test func `a partial reply has its Content-Range`() {
    let reply = reply(range: "bytes=100-199")
    #expect(reply.status == 206)
    #expect(reply.value(of: "Content-Range") == "bytes 100-199/1000")
    #expect(reply.value(of: "Content-Length") == "100")
    #expect(reply.value(of: "ETag") == item.entityTag)
    #expect(reply.body == .file(item, 100..<200))
  }

  @Test func `an unsatisfiable range is refused with the file's length`() {
    let reply = reply(range: "bytes=1000-")
    #expect(reply.status == 416)
    #expect(reply.value(of: "Content-Range") == "bytes */1000")
    #expect(reply.body == nil)
  }

  @Test func `a range applies when If-Range matches`() {
    #expect(reply(range: "bytes=5-", ifRange: item.entityTag).status == 206)
    #expect(reply(range: "bytes=5-", ifRange: DemoItem.lastModified).status == 206)
  }

  @Test func `a mismatched If-Range gets the complete file, even for an unsatisfiable range`() {
    #expect(reply(range: "bytes=5-", ifRange: "\"other\"").status == 200)
    #expect(reply(range: "bytes=5-", ifRange: "W/" + item.entityTag).status == 200)
    #expect(reply(range: "bytes=5-", ifRange: "Thu, 01 Jan 2026 00:00:01 GMT").status == 200)
    #expect(reply(range: "bytes=5000-", ifRange: "\"other\"").status == 200)
  }

  @Test func `HEAD gets the headers of the complete file and no body`() {
    let head = reply("HEAD", range: "bytes=5-")
    #expect(head.status == 200)
    #expect(head.headers == reply().headers)
    #expect(head.body == nil)
  }

  @Test(arguments: ["/", "/other.pdf", "/guide.pdf/", "//guide.pdf", "/../guide.pdf", "*", ""])
  func `a path that is not in the catalogue is not found`(target: String) {
    #expect(reply("GET", target).status == 404)
  }

  @Test func `a query in the URL is ignored`() {
    #expect(reply("GET", "/guide.pdf?a=1").status == 200)
  }

  @Test(arguments: ["POST", "PUT", "DELETE", "OPTIONS", "get"])
  func `other methods are refused with the allowed ones`(method: String) {
    let reply = reply(method)
    #expect(reply.status == 405)
    #expect(reply.value(of: "Allow") == "GET, HEAD")
  }

  @Test func `the entity tag is strong and depends on everything that determines the bytes`() {
    #expect(item.entityTag.hasPrefix("\"") && item.entityTag.hasSuffix("\""))
    var (longer, renamed, retitled, faster) = (item, item, item, item)
    longer.byteCount += 1
    renamed.fileName = "other.pdf"
    retitled.title = "U"
    faster.bytesPerSecond += 1
    #expect(Set([item, longer, renamed, retitled].map(\.entityTag)).count == 4)
    #expect(faster.entityTag == item.entityTag)
  }

  @Test func `a file that is not a PDF has another type`() {
    var binary = item
    binary.fileName = "guide.bin"
    #expect(binary.contentType == "application/octet-stream")
  }
}

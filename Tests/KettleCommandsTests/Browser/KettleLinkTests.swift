import KettleModel
import Testing

@testable import KettleCommands

struct KettleLinkTests {
  @Test func `a link queues a paused transfer`() throws {
    let link = try KettleLink(
      "kettle://add?url=https%3A%2F%2Fa.example%2Ff%3Fx%3D1%26y%3D2&title=The%20file#end")
    #expect(link.source.url.text == "https://a.example/f?x=1&y=2")
    #expect(link.title == "The file")
    #expect(link.spec.beginning == .paused)
    #expect(link.spec.name == nil)
    #expect(link.spec.directory == nil)
  }

  @Test(
    arguments: [
      "KETTLE://add?url=http://a/f", "kettle://add/?url=http://a/f", "kettle://add?url=ftp://a/f",
      "kettle://add?url=sftp://a/f", "kettle://add?title=&url=https://a/f",
    ])
  func `other forms are understood`(text: String) throws {
    #expect(try KettleLink(text).title == nil)
  }

  @Test(
    arguments: [
      ("", .notAdd), ("kettle://", .notAdd), ("kettle://remove?id=1", .notAdd),
      ("https://a/?url=x", .notAdd), ("kettle:add?url=http://a/", .notAdd),
      ("kettle://add?", .noURL), ("kettle://add?url=", .noURL), ("kettle://add?url", .noURL),
      ("kettle://add?title=x", .noURL),
      ("kettle://add?url=http://a/&dir=/etc", .parameter("dir")),
      ("kettle://add?url=http://a/&name=.bashrc", .parameter("name")),
      ("kettle://add?url=http://a/&url=http://b/", .parameter("url")),
      ("kettle://add?url=http://a/%2", .escape), ("kettle://add?url=http://a/%FF%FE", .escape),
      (
        "kettle://add?url=file:///etc/passwd",
        .url("file:///etc/passwd", .schemeUnsupported("file"))
      ),
      (
        "kettle://add?url=javascript:alert(1)",
        .url("javascript:alert(1)", .schemeUnsupported("javascript"))
      ),
      ("kettle://add?url=-o", .url("-o", .schemeMissing)),
      ("kettle://add?url=http://a/%0D%0Ax", .url("http://a/\r\nx", .controlCharacter)),
    ] as [(String, KettleLink.Problem)])
  func `everything else is refused`(text: String, problem: KettleLink.Problem) {
    #expect(throws: problem) { try KettleLink(text) }
  }

  @Test func `a title cannot imitate other output`() throws {
    let link = try KettleLink("kettle://add?url=http://a/&title=%1B%5B2Jx%0Ay%E2%80%AEz")
    #expect(link.title == "\u{FFFD}[2Jx\u{FFFD}y\u{FFFD}z")
    let long = try KettleLink(
      "kettle://add?url=http://a/&title=" + String(repeating: "a", count: 5000))
    #expect(long.title?.count == 201)
    #expect(throws: KettleLink.Problem.notAdd) {
      try KettleLink("kettle://add?url=http://a/" + String(repeating: "a", count: 40_000))
    }
  }
}

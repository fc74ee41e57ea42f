import Testing
import TransferCore
import TransferModel

/// Redirects in the life of one transfer, as scripts of events.
struct RedirectLifeTests {
  @Test func `what was given for one origin does not go to another`() throws {
    var script = BrainScript()
    var wanted = spec("https://files.example/a.iso")
    wanted.headers = [HeaderField(received: "X-Token", "secret")]
    wanted.login = Login(user: "u", password: "p")
    script.add(wanted)
    let first = try #require(script.plan)
    #expect(first.headers.count == 1)
    #expect(first.login != nil)
    script.head(first.attempt, 302, ["Location": "https://mirror.example/a.iso"])
    script.settled(first.attempt, .cancelled)
    let second = try #require(script.plan)
    #expect(second.url.text == "https://mirror.example/a.iso")
    #expect(second.headers.isEmpty)
    #expect(second.login == nil)
    // And back again to the origin that it was given for.
    script.head(second.attempt, 307, ["Location": "https://files.example/b.iso"])
    script.settled(second.attempt, .cancelled)
    let third = try #require(script.plan)
    #expect(third.headers.count == 1)
    #expect(third.login != nil)
  }

  @Test func `twenty redirects are followed and the next is refused`() throws {
    var script = BrainScript()
    let id = script.add(spec())
    for count in 1...20 {
      let attempt = try #require(script.attempt)
      script.head(attempt, 301, ["Location": "/hop\(count)"])
      script.settled(attempt, .cancelled)
    }
    #expect(script.state(id) == .running)
    let attempt = try #require(script.attempt)
    script.head(attempt, 301, ["Location": "/hop21"])
    script.settled(attempt, .cancelled)
    #expect(script.record(id)?.failure?.code == .tooManyRedirects)
  }
}

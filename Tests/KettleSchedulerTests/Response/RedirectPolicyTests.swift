import KettleModel
import KettleScheduler
import Testing

struct RedirectPolicyTests {
  private func follows(_ location: String, from text: String) -> Bool {
    switch RedirectPolicy.decide(location: location, from: url(text), redirectCount: 0) {
    case .follow: true
    case .refuse(let failure): failure.code != .redirectRefused
    }
  }

  @Test func `the redirect policy does not judge a host by its name`() {
    #expect(follows("http://192.168.1.2/b", from: "http://files.example.org/a"))
    #expect(follows("http://localhost/b", from: "http://files.example.org/a"))
  }

  @Test func `the refusal of a redirect from https to http names the whole link`() {
    let decision = RedirectPolicy.decide(
      location: "http://mirror.example/iso/a.iso?x=1", from: url("https://files.example/a"),
      redirectCount: 0)
    guard case .refuse(let failure) = decision else {
      Issue.record("it is followed")
      return
    }
    #expect(failure.detail == "from https to http://mirror.example/iso/a.iso?x=1")
  }

  private func method(_ method: String, after status: Int) -> String {
    let content = RequestContent(method: method, body: .bytes(Base64Bytes([1])))
    let next = RedirectPolicy.content(content, after: status)
    if let next, next.body != content.body { return "another body" }
    return next?.method ?? "GET"
  }

  @Test func `a redirect changes the method as RFC 9110 specifies`() {
    let statuses = [301, 302, 303, 307, 308]
    #expect(statuses.map { method("POST", after: $0) } == ["GET", "GET", "GET", "POST", "POST"])
    #expect(statuses.map { method("PUT", after: $0) } == ["PUT", "PUT", "GET", "PUT", "PUT"])
    #expect(
      statuses.map { method("DELETE", after: $0) }
        == ["DELETE", "DELETE", "GET", "DELETE", "DELETE"])
    #expect(statuses.map { method("HEAD", after: $0) } == Array(repeating: "HEAD", count: 5))
    #expect(statuses.allSatisfy { RedirectPolicy.content(nil, after: $0) == nil })
  }
}

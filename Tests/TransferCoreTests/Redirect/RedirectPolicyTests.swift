import Testing
import TransferCore
import TransferModel

struct RedirectPolicyTests {
  private func follows(_ location: String, from text: String) -> Bool {
    switch RedirectPolicy.decide(location: location, from: url(text), redirectCount: 0) {
    case .follow: true
    case .refuse(let failure): failure.code != .redirectRefused
    }
  }

  // Fault 54
  @Test(arguments: [
    "http://127.0.0.1/admin", "http://169.254.169.254/latest/meta-data", "http://192.168.1.1/",
    "http://[::1]:8080/", "http://localhost/", "http://router.lan/", "http://2130706433/",
  ])
  func `a server in the world does not lead inside`(_ location: String) {
    #expect(!follows(location, from: "http://files.example.org/a"))
  }

  @Test func `a server inside leads further out, and sideways`() {
    #expect(follows("http://192.168.1.2/b", from: "http://192.168.1.1/a"))
    #expect(follows("http://mirror.example.org/b", from: "http://nas.local/a"))
    #expect(follows("http://127.0.0.1:8080/b", from: "http://localhost/a"))
    #expect(!follows("http://localhost/b", from: "http://nas.local/a"))
  }

  @Test func `a refusal says where it would have led`() {
    let decision = RedirectPolicy.decide(
      location: "http://10.1.2.3/x", from: url("http://files.example.org/a"), redirectCount: 0)
    guard case .refuse(let failure) = decision else {
      Issue.record("it was followed")
      return
    }
    #expect(failure.detail == "to http://10.1.2.3, which is nearer than the server")
  }

  private func method(_ method: String, after status: Int) -> String {
    let content = RequestContent(method: method, body: .bytes(Base64Bytes([1])))
    let next = RedirectPolicy.content(content, after: status)
    if let next, next.body != content.body { return "another body" }
    return next?.method ?? "GET"
  }

  @Test func `a redirect changes the method as RFC 9110 has it`() {
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

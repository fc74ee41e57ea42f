import KettleModel
import KettleScheduler
import Testing

struct LoginChallengeTests {
  private func all(_ values: String...) -> [LoginChallenge] {
    LoginChallenge.all(in: head(values))
  }

  private func best(_ values: String...) -> LoginChallenge? {
    LoginChallenge.best(in: head(values))
  }

  private func head(_ values: [String]) -> ResponseHead {
    ResponseHead(
      status: 401, headers: values.map { HeaderField(received: "WWW-Authenticate", $0) })
  }

  @Test func `a challenge is parsed into its scheme and realm`() {
    let one = all(#"Basic realm="the files""#)
    #expect(one == [LoginChallenge(scheme: "basic", parameters: ["realm": "the files"])])
    #expect(one.first?.kind == .basic)
  }

  /// The example of RFC 9110, section 11.6.1.
  @Test func `several challenges in one header are distinguished from their parameters`() {
    let two = all(#"Basic realm="simple", Newauth realm="apps", type=1, title="Login to \"apps\"""#)
    #expect(two.map(\.scheme) == ["basic", "newauth"])
    #expect(two.last?.parameters == ["realm": "apps", "type": "1", "title": #"Login to "apps""#])
    #expect(two.last?.kind == nil)
  }

  @Test func `challenges in several headers form one list`() {
    #expect(all("Negotiate", "NTLM", #"Basic realm="x""#).count == 3)
  }

  @Test func `a quoted comma does not separate challenges`() {
    #expect(all(#"Basic realm="a, Digest nonce=b""#).map(\.realm) == ["a, Digest nonce=b"])
  }

  @Test func `digest is preferred to basic regardless of their order`() {
    let digest = #"Digest realm="d", qop="auth, auth-int", nonce="n1""#
    #expect(best(#"Basic realm="b""#, digest)?.kind == .digest)
    #expect(best(digest + #", Basic realm="b""#)?.realm == "d")
  }

  @Test func `Negotiate and NTLM are used only if nothing else is offered`() {
    #expect(best("Negotiate, NTLM")?.kind == .negotiate)
    #expect(best("NTLM")?.kind == .ntlm)
    #expect(best(#"Negotiate, NTLM, Basic realm="b""#)?.kind == .basic)
  }

  @Test func `handshake data is skipped`() {
    let two = all("Negotiate YII/+a==, Basic realm=b")
    #expect(two.map(\.scheme) == ["negotiate", "basic"])
    #expect(two.last?.realm == "b")
  }

  @Test func `a digest challenge without a nonce is ignored`() {
    #expect(best(#"Digest realm="d""#) == nil)
  }

  @Test func `blanks and empty list elements are ignored`() {
    let two = all(" ,, Basic  realm = \"a\" ,\t, Newauth ,")
    #expect(two.map(\.scheme) == ["basic", "newauth"])
    #expect(two.first?.realm == "a")
  }

  @Test(arguments: [
    "", ",", #"realm="x""#, #"Basic realm="open"#, #"Basic realm="a" realm2"#,
    #"Basic realm="a", realm="b""#, #"Basic "realm""#, #"Basic realm="a\"#, "Basic realm=a b",
    "(Basic)", #"Basic realm=a/b"#,
  ])
  func `a malformed challenge is ignored`(text: String) {
    #expect(best(text) == nil)
  }

  @Test func `a challenge before a malformed one is kept`() {
    #expect(all(#"Basic realm="a", Digest nonce="open"#).map(\.scheme) == ["basic"])
  }
}

import BackgroundTransfer
import Foundation
import KettleModel
import Testing
import TestSupport

/// Servers that require a login, over the real service.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct LoginTests {
  private let home: SessionHome
  private let origin: ScriptedOrigin
  private let body = SeededBody(seed: 4, byteCount: 50_000)

  init() throws {
    home = try SessionHome()
    origin = try ScriptedOrigin()
  }

  private func serve(_ scheme: OriginBehavior.LoginScheme, at path: String = "/a.bin") {
    origin.serve(
      OriginBehavior(body).with {
        $0.login = Login(user: "me", password: "secret")
        $0.loginScheme = scheme
      }, at: path)
  }

  private static func method(_ scheme: OriginBehavior.LoginScheme) -> String {
    switch scheme {
    case .basic: "HTTPBasic"
    case .digest: "HTTPDigest"
    }
  }

  private func download(_ told: Told) async throws -> ([String], URLSessionTask) {
    let session = home.session(told)
    let task = session.downloadTask(with: try origin.address("/a.bin"))
    task.resume()
    return (try await told.all(session), task)
  }

  @Test(arguments: [OriginBehavior.LoginScheme.basic, .digest])
  func `a credential from the delegate is used`(scheme: OriginBehavior.LoginScheme) async throws {
    serve(scheme)
    let told = Told(judge: { _ in
      (
        .useCredential,
        URLCredential(user: "me", password: "secret", persistence: .forSession)
      )
    })
    let (calls, task) = try await download(told)
    #expect(
      calls == [
        "challenge 1 \(Self.method(scheme)) kettle 0", "wrote 1 50000/50000", "finished 1 200",
        "completed 1 nil", "invalid",
      ])
    #expect(told.file(of: task)?.elementsEqual(body.bytes) == true)
  }

  @Test(arguments: [OriginBehavior.LoginScheme.basic, .digest])
  func `a rejected credential is reported and another one can be tried`(
    scheme: OriginBehavior.LoginScheme
  ) async throws {
    serve(scheme)
    let told = Told(judge: { challenge in
      let password = challenge.previousFailureCount < 2 ? "wrong" : "secret"
      return (
        .useCredential, URLCredential(user: "me", password: password, persistence: .forSession)
      )
    })
    let challenge = "challenge 1 \(Self.method(scheme)) kettle "
    #expect(
      try await download(told).0 == [
        challenge + "0", challenge + "1", challenge + "2", "wrote 1 50000/50000",
        "finished 1 200", "completed 1 nil", "invalid",
      ])
  }

  @Test(arguments: [OriginBehavior.LoginScheme.basic, .digest])
  func `cancelling a challenge cancels the task`(
    scheme: OriginBehavior.LoginScheme
  ) async throws {
    serve(scheme)
    let told = Told(judge: { _ in (.cancelAuthenticationChallenge, nil) })
    #expect(
      try await download(told).0
        == ["challenge 1 \(Self.method(scheme)) kettle 0", "completed 1 -999", "invalid"])
  }

  @Test(arguments: [
    URLSession.AuthChallengeDisposition.performDefaultHandling, .rejectProtectionSpace,
    .useCredential,
  ])
  func `without a credential the 401 page is delivered as the file`(
    disposition: URLSession.AuthChallengeDisposition
  ) async throws {
    serve(.basic)
    let told = Told(judge: { _ in (disposition, nil) })
    let (calls, task) = try await download(told)
    #expect(
      calls == [
        "challenge 1 HTTPBasic kettle 0", "wrote 1 12/12", "finished 1 401", "completed 1 nil",
        "invalid",
      ])
    #expect(told.text(of: task) == "Who are you?")
  }

  @Test func `a credential is not sent to another origin`() async throws {
    let other = try ScriptedOrigin()
    serve(.basic, at: "/there")
    other.serve(OriginBehavior(body), at: "/a.bin")
    origin.serve(
      OriginBehavior(body).with { $0.login = Login(user: "me", password: "secret") }, at: "/in")
    let elsewhere = try other.address("/a.bin").absoluteString
    origin.serve(
      at: "/a.bin"
    ) { request in
      request.value(of: "Authorization") == nil
        ? OriginBehavior(SeededBody(seed: 0, byteCount: 0)).with {
          $0.login = Login(user: "me", password: "secret")
        } : .redirect(302, to: elsewhere)
    }
    let told = Told(judge: { _ in
      (.useCredential, URLCredential(user: "me", password: "secret", persistence: .forSession))
    })
    #expect(
      try await download(told).0 == [
        "challenge 1 HTTPBasic kettle 0", "wrote 1 50000/50000", "finished 1 200",
        "completed 1 nil", "invalid",
      ])
    #expect(other.requests.allSatisfy { $0.value(of: "Authorization") == nil })
  }
}

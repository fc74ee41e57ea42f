import BackgroundTransfer
import Foundation
import KettleModel
import Testing
import TestSupport

/// Cookies of responses, over the real service.
@Suite(.timeLimit(.minutes(5)))
struct CookieSessionTests {
  @Test func `the cookie of a response is sent with the next task`() async throws {
    let home = try SessionHome()
    let origin = try ScriptedOrigin()
    let field = HeaderField(received: "Set-Cookie", "book=17; Path=/")
    origin.serve(.status(200, headers: [field], text: "tea"), at: "/login")
    origin.serve(.status(200, text: "coffee"), at: "/book")
    let told = Told()
    let storage = HTTPCookieStorage.sharedCookieStorage(
      forGroupContainerIdentifier: UUID().uuidString)
    let session = home.session(told) { $0.httpCookieStorage = storage }
    let login = session.downloadTask(with: try origin.address("/login"))
    login.resume()
    try await told.wait(for: "completed 1 nil")
    #expect(storage.cookies?.map(\.value) == ["17"])
    session.downloadTask(with: try origin.address("/book")).resume()
    try await told.wait(for: "completed 2 nil")
    #expect(origin.requests(at: "/book").first?.values(of: "Cookie") == ["book=17"])
  }
}

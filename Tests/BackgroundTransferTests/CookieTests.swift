import BackgroundTransfer
import Foundation
import KettleControl
import KettleModel
import KettleSystem
import Testing

/// The cookies that a server sets with the response to a background task.
struct CookieTests {
  private let storage = HTTPCookieStorage.sharedCookieStorage(
    forGroupContainerIdentifier: UUID().uuidString)
  private let fields = ["book=17; Path=/", "page=3; Path=/; Domain=books.example; HttpOnly"]

  /// What the storage has as soon as the delegate of the task is called.
  private func stored(
    from url: String = "http://books.example/b",
    _ change: (inout URLRequest) -> Void = { _ in },
    configure: (URLSessionConfiguration) -> Void = { _ in }
  ) throws -> [String] {
    let world = try SessionWorld(configure: {
      $0.httpCookieStorage = storage
      configure($0)
    })
    var request = URLRequest(url: SessionWorld.url)
    change(&request)
    world.session.downloadTask(with: request).resume()
    _ = try world.service.added(1)
    try respond(world.service, url, received: 1)
    #expect(world.recorder.wait(for: "wrote 1 1 1 -1"))
    return names
  }

  private func respond(_ service: FakeService, _ url: String, received: Int64) throws {
    try service.move(1, to: .running, .progress) {
      $0.bytesReceived = received
      $0.task?.reply = ServerReply(
        url: url, status: 200,
        headers: fields.map { HeaderField(received: "Set-Cookie", $0) })
    }
  }

  private var names: [String] { (storage.cookies ?? []).map(\.name).sorted() }

  @Test func `the cookies of a response are stored before the delegate is called`() throws {
    #expect(try stored() == ["book", "page"])
    let url = try #require(URL(string: "http://books.example/other"))
    #expect(storage.cookies(for: url)?.first { $0.name == "book" }?.value == "17")
  }

  @Test func `a response of another host sets only cookies of that host`() throws {
    #expect(try stored(from: "http://other.example/b") == ["book"])
    #expect(storage.cookies?.first?.domain == "other.example")
  }

  @Test func `policies reject cookies`() throws {
    #expect(try stored { $0.httpShouldHandleCookies = false } == [])
    #expect(try stored(configure: { $0.httpCookieAcceptPolicy = .never }) == [])
    #expect(try stored(configure: { $0.httpCookieStorage = nil }) == [])
    let other = URL(string: "http://other.example/")
    #expect(try stored { $0.mainDocumentURL = other } == [])
    let below = URL(string: "http://www.books.example/")
    #expect(try stored { $0.mainDocumentURL = below } == ["book", "page"])
  }

  @Test func `cookies of another host are accepted always if the policy says so`() throws {
    let other = URL(string: "http://other.example/")
    #expect(
      try stored({ $0.mainDocumentURL = other }, configure: { $0.httpCookieAcceptPolicy = .always })
        == ["book", "page"])
  }

  @Test func `a response stores its cookies once, also for later runs`() throws {
    let identifier = UUID().uuidString
    let world = try SessionWorld(
      identifier: identifier, configure: { $0.httpCookieStorage = storage })
    world.session.downloadTask(with: SessionWorld.url).resume()
    _ = try world.service.added(1)
    try respond(world.service, "http://books.example/b", received: 1)
    #expect(world.recorder.wait(for: "wrote 1 1 1 -1"))
    for cookie in storage.cookies ?? [] { storage.deleteCookie(cookie) }
    try respond(world.service, "http://books.example/b", received: 2)
    #expect(world.recorder.wait(for: "wrote 1 1 2 -1"))
    #expect(names == [])
    let kept = world.service.wait { request -> String? in
      guard case .updateTask(let params) = request else { return nil }
      return params.programData
    }
    #expect(kept?.contains("hasStoredCookies\":true") == true)
  }
}

import BackgroundTransfer
import Foundation
import Testing

struct ReceptionTests {
  private static let url = URL(fileURLWithPath: "/")

  private static func response(_ status: Int) throws -> Reception.Event {
    .response(
      try #require(
        HTTPURLResponse(url: url, statusCode: status, httpVersion: nil, headerFields: nil)))
  }

  private static func texts(_ events: [Reception.Event]) -> [String] {
    var reception = Reception()
    return events.flatMap { reception.handle($0) }.map { action in
      switch action {
      case .respond(let response): "response \((response as? HTTPURLResponse)?.statusCode ?? 0)"
      case .receive(let data): "data \(data.count)"
      case .end(let error): "end \(error == nil)"
      }
    }
  }

  @Test func `a response, its bytes and the end are passed on as they come`() throws {
    let events: [Reception.Event] = [
      try Self.response(200), .data(Data([1])), .data(Data([1, 2])), .ended(nil),
    ]
    #expect(Self.texts(events) == ["response 200", "data 1", "data 2", "end true"])
  }

  @Test func `the response that asked for a login is dropped when there is one`() throws {
    let events: [Reception.Event] = [
      try Self.response(401), .data(Data([1])), .retried, try Self.response(200),
      .data(Data([1, 2])), .ended(nil),
    ]
    #expect(Self.texts(events) == ["response 200", "data 2", "end true"])
  }

  @Test func `the response that asked for a login is passed on when there is none`() throws {
    let events: [Reception.Event] = [
      try Self.response(401), .data(Data([1])), .data(Data([1, 2])), .ended(nil),
    ]
    #expect(Self.texts(events) == ["response 401", "data 1", "data 2", "end true"])
  }

  @Test func `after a cancelled login only the end is passed on`() throws {
    let events: [Reception.Event] = [
      try Self.response(401), .data(Data([1])), .ended(URLError(.cancelled)),
    ]
    #expect(Self.texts(events) == ["end false"])
  }

  @Test func `nothing follows the end`() throws {
    let events: [Reception.Event] = [
      .ended(nil), .data(Data([1])), .ended(nil), try Self.response(200), .retried,
    ]
    #expect(Self.texts(events) == ["end true"])
  }
}

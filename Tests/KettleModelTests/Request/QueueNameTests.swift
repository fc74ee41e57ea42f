import Foundation
import KettleModel
import Testing

struct QueueNameTests {
  @Test(arguments: ["night", "a", "Big-files_2", "0", String(repeating: "x", count: 64)])
  func `letters, digits, dashes and underscores are a name`(text: String) {
    #expect(QueueName(text)?.text == text)
  }

  @Test(arguments: [
    "", "two words", "a.b", "a/b", "ä", "a'b", "a\0b", "a\n", String(repeating: "x", count: 65),
  ])
  func `other texts are not a name`(text: String) {
    #expect(QueueName(text) == nil)
    let json = try? JSONEncoder().encode(text)
    #expect(json.flatMap { try? JSONDecoder().decode(QueueName.self, from: $0) } == nil)
  }

  @Test func `the default queue is the first`() throws {
    let names = ["b", "default", "a"].compactMap { QueueName($0) }
    #expect(names.sorted().map(\.text) == ["default", "a", "b"])
  }

  @Test func `a transfer is in the default queue, and a task in none`() throws {
    guard case .success(let parsed) = TransferURL.parse("http://a.example/b") else { return }
    var spec = TransferSpec(url: parsed.url)
    #expect(spec.queue == .standard)
    spec.options.queue = QueueName("night")
    #expect(spec.queue?.text == "night")
    let decoded = try JSONDecoder().decode(TransferSpec.self, from: JSONEncoder().encode(spec))
    #expect(decoded == spec)
    spec.task = TaskOptions(kind: .download)
    #expect(spec.queue == nil)
  }

  @Test func `the groups of a list are words on the wire`() throws {
    let night = try #require(QueueName("night"))
    let groups: [ListGroup] = [.running, .done, .queue(night), .noQueue]
    let json = try JSONEncoder().encode(groups)
    #expect(String(decoding: json, as: UTF8.self) == #"["running","done","queue:night","queue:"]"#)
    #expect(try JSONDecoder().decode([ListGroup].self, from: json) == groups)
    for wrong in [#"["other"]"#, #"["queue:a b"]"#] {
      #expect(throws: DecodingError.self) {
        try JSONDecoder().decode([ListGroup].self, from: Data(wrong.utf8))
      }
    }
  }

  @Test func `an order of an older version has groups by state or none`() throws {
    func sort(_ json: String) throws -> RowSort {
      try JSONDecoder().decode(RowSort.self, from: Data(json.utf8))
    }
    let old = #"{"key":"size","isDescending":true,"isGrouped":true}"#
    #expect(try sort(old) == RowSort(key: .size, isDescending: true, isGrouped: true))
    #expect(try sort(#"{"key":"size","isDescending":true}"#).grouping == nil)
    let byQueue = RowSort(grouping: .queues)
    let json = try JSONEncoder().encode(byQueue)
    #expect(try JSONDecoder().decode(RowSort.self, from: json) == byQueue)
  }
}

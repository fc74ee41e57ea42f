import Foundation
import KettleModel
import Testing

@testable import KettleControl

struct JSONValueTests {
  @Test func `members keep their order and null is printed`() {
    let value = JSONValue.object([
      .init("b", .null), .init("a", .array([.integer(-1), .bool(true), .bool(false)])),
      .init("c", .object([])), .init("d", .array([])),
    ])
    #expect(value.text == #"{"b": null, "a": [-1, true, false], "c": {}, "d": []}"#)
  }

  // Fault 128
  @Test func `any text survives a round trip, and no scalar controls a terminal`() throws {
    // Every control and invisible scalar, and some of each other kind.
    var scalars = (0...0xFFFF).compactMap { Unicode.Scalar(UInt32($0)) }
      .filter { $0.isControl || $0.isInvisible }
    scalars += ["\u{E0041}", "\u{1F600}", "ä", "\"", "\\", "/", "\u{FEFF}", "\u{10FFFF}"]
    var text = ""
    text.unicodeScalars.append(contentsOf: scalars)
    let json = JSONValue.string(text).text
    #expect(!json.unicodeScalars.contains { $0.isControl || $0.isInvisible })
    let back = try JSONSerialization.jsonObject(
      with: Data(json.utf8), options: .fragmentsAllowed)
    #expect((back as? String).map { Array($0.unicodeScalars) } == Array(text.unicodeScalars))
  }
}

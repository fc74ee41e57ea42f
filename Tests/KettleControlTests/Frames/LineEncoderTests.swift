import Foundation
import KettleModel
import Testing

@testable import KettleControl

/// The fast encoder, compared byte by byte with that of Foundation.
struct LineEncoderTests {
  private func expectSame(
    _ value: some Encodable, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let expected = try encoder.encode(value)
    let actual = try LineEncoder().encode(value)
    #expect(text(actual) == text(Array(expected)), sourceLocation: sourceLocation)
  }

  /// A row with everything that a row can have.
  private var fullRow: TransferSnapshot {
    var row = ProtocolSamples.snapshot(7, title: "a \"quoted\" \\ title / \u{1} \u{1F} \u{7F} ü 🫖")
    row.queue = .standard
    row.subtitle = ""
    row.reason = .retryAfter
    row.goesOnAt = WallTime(millisecondsSince1970: -1)
    var heldBack = HeldBack(.hostLimit, subject: "a.example")
    heldBack.rank = 4
    heldBack.used = 2
    heldBack.until = WallTime(millisecondsSince1970: .max)
    row.heldBack = heldBack
    row.path = "/home/a/ü/\n"
    row.bytesExpected = .max
    row.priority = .high
    row.error = TransferFailure(.fileProblem, on: "/a", detail: "b")
    row.freshStart = .resourceChanged
    row.isCleared = true
    row.verifiedBy = .sha256
    row.queuePosition = .min
    return row
  }

  @Test func `messages are those of the other encoder`() throws {
    try expectSame(fullRow)
    var totals = Totals()
    totals.counts = [.running: 3, .failed: 1, .completed: 99, .idle: 0]
    try expectSame(RowWindow(first: 2, matchingCount: 9, rows: [fullRow, fullRow], totals: totals))
    try expectSame(ProtocolSamples.event(.progress, 3, at: 5, written: 10, total: 30))
    try expectSame(IDRuns([1, 2, 3, 9, 8].map { TransferID(rawValue: $0) }))
    try expectSame(ControlError(.methodNotFound, "x/y"))
    try expectSame(Nothing())
    try expectSame(TransferDetails(snapshot: fullRow, headers: [HeaderField(received: "a", "b")]))
    if let spec = ProtocolSamples.spec() { try expectSame(spec) }
  }

  @Test func `strings and numbers are those of the other encoder`() throws {
    let scalars = (0...0x2FF).compactMap { Unicode.Scalar($0 as UInt32) }
    try expectSame(scalars.map { String(Character($0)) })
    try expectSame("e\u{301}\u{2028}\u{FFFF}")
    try expectSame([0, -0.0, 1, 0.5, 1e-7, 1e16, 1e300, .greatestFiniteMagnitude, 123_456.789])
    try expectSame([Int64.min, .max, 0])
    try expectSame([UInt64.max])
    try expectSame([Float(0.1), 3])
    try expectSame(["b": 1, "a": 2, "B": 3, "": 4, "ä": 5, "a\"": 6])
    try expectSame([String: [Int]]())
    try expectSame([[Int]]())
    try expectSame([nil, 1, nil] as [Int?])
    try expectSame(["x": [["y": nil], ["y": true]]] as [String: [[String: Bool?]]])
    #expect(throws: EncodingError.self) { try LineEncoder().encode([Double.nan]) }
    #expect(throws: EncodingError.self) { try LineEncoder().encode(-Double.infinity) }
  }

  /// Uses every way to write into containers.
  private struct Odd: Encodable {
    enum Key: String, CodingKey {
      case zeta, alpha, array, object, inherited, nothing, small
    }

    func encode(to encoder: any Encoder) throws {
      var first = encoder.container(keyedBy: Key.self)
      try first.encode(1, forKey: .zeta)
      var array = first.nestedUnkeyedContainer(forKey: .array)
      try array.encode(Int8(3))
      try array.encodeNil()
      var inner = array.nestedContainer(keyedBy: Key.self)
      try inner.encode("z", forKey: .zeta)
      try inner.encode("a", forKey: .alpha)
      var deep = array.nestedUnkeyedContainer()
      try deep.encode(true)
      try array.encode([UInt16(4)])
      var object = first.nestedContainer(keyedBy: Key.self, forKey: .object)
      try object.encodeNil(forKey: .alpha)
      try [1].encode(to: first.superEncoder(forKey: .inherited))
      // The same object once more, as a value that encodes another one into itself asks for it.
      var second = encoder.container(keyedBy: Key.self)
      try second.encode(Float(0.25), forKey: .small)
      try second.encode(Nothing(), forKey: .nothing)
      try second.encode(2, forKey: .alpha)
    }
  }

  @Test func `every kind of container is written like that of the other encoder`() throws {
    try expectSame(Odd())
    try expectSame([Odd(), Odd()])
    try expectSame(["b": Odd(), "a": Odd()])
  }
}

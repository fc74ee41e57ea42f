import SeededNumbers
import Testing

@testable import KettleDesktop

struct BusMessageTests {
  private static let hello: [UInt8] =
    [0x6C, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0x6D, 0, 0, 0]
    + [1, 1] + Array("o".utf8) + [0, 21, 0, 0, 0] + Array("/org/freedesktop/DBus".utf8)
    + [0, 0, 0]
    + [2, 1] + Array("s".utf8) + [0, 20, 0, 0, 0] + Array("org.freedesktop.DBus".utf8)
    + [0, 0, 0, 0]
    + [3, 1] + Array("s".utf8) + [0, 5, 0, 0, 0] + Array("Hello".utf8) + [0, 0, 0]
    + [6, 1] + Array("s".utf8) + [0, 20, 0, 0, 0] + Array("org.freedesktop.DBus".utf8)
    + [0, 0, 0, 0]

  @Test func `the first call is encoded as specified`() throws {
    let bytes = try BusCall.bus("Hello").message(serial: 1).encoded()
    #expect(bytes == Self.hello)
    #expect(try BusMessage(bytes: bytes[...]) == BusCall.bus("Hello").message(serial: 1))
  }

  @Test func `numbers are encoded in either byte order`() throws {
    var message = BusMessage(.reply(to: 2), serial: 3)
    message.body = [.uint32(0x0102_0304), .byte(9), .array(of: .int64, [.int64(-2)])]
    let little: [UInt8] =
      [4, 3, 2, 1, 9, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0xFE] + [UInt8](repeating: 255, count: 7)
    let big: [UInt8] =
      [1, 2, 3, 4, 9, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0] + [UInt8](repeating: 255, count: 7) + [0xFE]
    for (order, body) in [(BusByteOrder.little, little), (.big, big)] {
      let bytes = try message.encoded(order)
      #expect(bytes.first == order.rawValue)
      #expect(Array(bytes.suffix(body.count)) == body)
      #expect(try BusMessage(bytes: bytes[...]) == message)
    }
  }

  @Test func `a notification can be encoded`() throws {
    let call = BusCall(
      "Notify", of: "org.freedesktop.Notifications", on: "org.freedesktop.Notifications",
      at: "/org/freedesktop/Notifications",
      [
        .string("Kettle"), .uint32(0), .string(""), .string("It boils"), .string("Whole"),
        .array(of: .string, [.string("default"), .string("Open")]),
        .array(
          of: .entry(.string, .variant),
          [.entry(key: .string("urgency"), value: .variant(.byte(1)))]), .int32(-1),
      ])
    let bytes = try call.message(serial: 9).encoded()
    #expect(try BusMessage(bytes: bytes[...]).body == call.arguments)
  }

  @Test func `any message survives a round trip in either byte order`() throws {
    let seed = UInt64.random(in: .min ... .max)
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<500 {
      let message = RandomValue.message(&generator)
      for order in BusByteOrder.allCases {
        // Random types may be too many for a signature.
        guard let bytes = try? message.encoded(order) else { continue }
        #expect(try BusMessage(bytes: bytes[...]) == message, "seed \(seed)")
      }
    }
  }

  @Test func `edited bytes are decoded or refused, and decoded ones can be encoded again`() throws {
    let seed = UInt64.random(in: .min ... .max)
    var generator = SeededGenerator(seed: seed)
    var refused = 0
    for _ in 0..<3000 {
      guard var bytes = try? RandomValue.message(&generator).encoded() else { continue }
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        let place = Int.random(in: 0..<bytes.count, using: &generator)
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: bytes.removeSubrange(place...)
        case 1: bytes.insert(.random(in: .min ... .max, using: &generator), at: place)
        case 2: bytes[place] = [0, 1, 0x7F, 0xFF].randomElement(using: &generator) ?? 0
        default: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        }
        if bytes.isEmpty { break }
      }
      do throws(BusFault) {
        let read = try BusMessage(bytes: bytes[...])
        let again = try read.encoded()
        let reread = try BusMessage(bytes: again[...])
        #expect(reread.kind == read.kind, "seed \(seed)")
      } catch {
        refused += 1
      }
    }
    #expect(refused > 100, "seed \(seed)")
  }

  @Test func `a truncated message is refused`() throws {
    for count in 0..<Self.hello.count {
      #expect(throws: BusFault.cutOff) { try BusMessage(bytes: Self.hello.prefix(count)) }
    }
  }

  @Test(arguments: [
    (0, 0x6D), (1, 0), (3, 2), (8, 0), (18, 0x73), (20, 22), (42, 1), (37, 0x2E), (45, 1), (46, 1),
  ])
  func `a wrong byte is rejected`(place: Int, byte: UInt8) {
    var bytes = Self.hello
    bytes[place] = byte
    #expect(throws: BusFault.self) { try BusMessage(bytes: bytes[...]) }
  }

  @Test func `a message that declares too many bytes is refused at its start`() {
    var bytes = Array(Self.hello.prefix(16))
    for place in [4, 12] {
      var long = bytes
      long[place + 2] = 0x10
      #expect(throws: BusFault.tooLarge) {
        var splitter = BusMessageSplitter()
        splitter.append(long)
        _ = try splitter.next()
      }
    }
    bytes.replaceSubrange(4..<8, with: [255, 255, 255, 255])
    bytes.replaceSubrange(12..<16, with: [255, 255, 255, 255])
    #expect(throws: BusFault.tooLarge) { try BusMessageStart(bytes[...]) }
  }

  @Test(
    arguments: [
      .string("a\0b"), .objectPath(""), .objectPath("a"), .objectPath("/a/"), .objectPath("/ä"),
      .signature("z"), .array(of: .string, [.byte(1)]), .structure([]),
      .array(of: .entry(.variant, .byte), [.entry(key: .variant(.byte(1)), value: .byte(1))]),
    ] as [BusValue])
  func `values that cannot be decoded are not encoded`(value: BusValue) {
    var message = BusMessage(.reply(to: 1), serial: 1)
    message.body = [value]
    #expect(throws: BusFault.malformed) { try message.encoded() }
  }

  @Test func `values that are too large or nest too deep are not encoded`() {
    var message = BusMessage(.reply(to: 1), serial: 1)
    message.body = [.string(String(repeating: "x", count: 1 << 20))]
    #expect(throws: BusFault.tooLarge) { try message.encoded() }
    var deep = BusValue.byte(1)
    for _ in 0..<70 { deep = .variant(deep) }
    message.body = [deep]
    #expect(throws: BusFault.tooLarge) { try message.encoded() }
  }

  @Test func `variants that nest too deep are refused`() throws {
    // 33 variants of `v` and one of a byte, each a signature of one letter.
    func reply(depth: Int) throws -> [UInt8] {
      var message = BusMessage(.reply(to: 1), serial: 1)
      message.body = [.variant(.byte(1))]
      var bytes = try message.encoded()
      let more = (0..<depth).flatMap { _ in [1, UInt8(ascii: "v"), 0] }
      bytes.insert(contentsOf: more, at: bytes.count - 4)
      bytes[4] += UInt8(more.count)
      return bytes
    }
    #expect(try BusMessage(bytes: reply(depth: 10)[...]).body.count == 1)
    #expect(throws: BusFault.tooLarge) { try BusMessage(bytes: reply(depth: 70)[...]) }
  }

  @Test func `messages are reassembled from pieces of any size`() throws {
    let seed = UInt64.random(in: .min ... .max)
    var generator = SeededGenerator(seed: seed)
    let messages = (0..<40).map { _ in RandomValue.message(&generator) }
      .filter { (try? $0.encoded()) != nil }
    var stream = try messages.flatMap { try $0.encoded() }[...]
    var splitter = BusMessageSplitter()
    var read: [BusMessage] = []
    while !stream.isEmpty {
      let count = Int.random(in: 1...90, using: &generator)
      splitter.append(stream.prefix(count))
      stream = stream.dropFirst(count)
      while let message = try splitter.next() { read.append(message) }
    }
    #expect(read == messages, "seed \(seed)")
  }
}

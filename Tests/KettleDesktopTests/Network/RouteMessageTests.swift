import KettleModel
import Testing

@testable import KettleDesktop

/// Kernel messages built byte by byte after linux/netlink.h, and broken ones.
struct RouteMessageTests {
  private func message(
    _ type: UInt16, sequence: UInt32 = 1, length: UInt32? = nil, _ body: [UInt8]
  ) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(number: length ?? UInt32(16 + body.count))
    bytes.append(number: type)
    bytes.append(number: UInt16(2))
    bytes.append(number: sequence)
    bytes.append(number: UInt32(0))
    return padded(bytes + body)
  }

  private func padded(_ bytes: [UInt8]) -> [UInt8] {
    bytes + [UInt8](repeating: 0, count: netlinkAligned(bytes.count) - bytes.count)
  }

  private func link(_ index: Int32, flags: UInt32) -> [UInt8] {
    var body: [UInt8] = [0, 0, 1, 0]
    body.append(number: index)
    body.append(number: flags)
    body.append(number: UInt32(0))
    return message(16, body)
  }

  private func attribute(_ type: UInt16, length: UInt16? = nil, _ content: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(number: length ?? UInt16(4 + content.count))
    bytes.append(number: type)
    return padded(bytes + content)
  }

  private func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(number: number)
    return bytes
  }

  private func route(
    family: UInt8 = 2, prefix: UInt8 = 0, table: UInt8 = 254, type: UInt8 = 1, flags: UInt32 = 0,
    _ attributes: [[UInt8]]
  ) -> [UInt8] {
    let header = [family, prefix, 0, 0, table, 3, 0, type] + bytes(flags)
    return message(24, header + attributes.flatMap { $0 })
  }

  private func address(_ type: UInt16, scope: UInt8, _ attributes: [[UInt8]]) -> [UInt8] {
    message(type, [2, 24, 0, scope] + bytes(Int32(7)) + attributes.flatMap { $0 })
  }

  @Test func `an address of this machine is read, also where the other end has one`() {
    let peer = attribute(1, [192, 0, 2, 2])
    let own = attribute(2, [192, 0, 2, 1])
    for attributes in [[own], [own, peer], [peer, own]] {
      let expected = NetworkAddress(link: 7, scope: 0, bytes: [192, 0, 2, 1])
      #expect(RouteMessage.parse(address(20, scope: 0, attributes)) == [.address(expected)])
      #expect(RouteMessage.parse(address(21, scope: 0, attributes)) == [.addressRemoved(expected)])
    }
  }

  @Test(arguments: [(0, true), (200, true), (253, false), (254, false)] as [(UInt8, Bool)])
  func `an address that is valid on one link only leads nowhere`(scope: UInt8, expected: Bool) {
    let bytes = address(20, scope: scope, [attribute(1, [192, 0, 2, 1])])
    guard case .address(let address)? = RouteMessage.parse(bytes).first else {
      Issue.record("no address")
      return
    }
    #expect(address.leadsToOthers == expected)
  }

  @Test(arguments: 0..<8) func `a cut address is no message`(byteCount: Int) {
    #expect(RouteMessage.parse(message(20, [UInt8](repeating: 0, count: byteCount))) == [.other])
  }

  private func state(_ messages: [[UInt8]]) -> NetworkState {
    var snapshot = NetworkSnapshot()
    for message in RouteMessage.parse(messages.flatMap { $0 }) { snapshot.apply(message) }
    return snapshot.state
  }

  private let upAndRunning: UInt32 = 0x1 | 0x40

  @Test func `a default route through a running interface provides connectivity`() {
    let out = attribute(4, bytes(Int32(7)))
    #expect(state([link(7, flags: upAndRunning), route([out])]) == .present)
    #expect(state([link(7, flags: upAndRunning)]) == .absent)
    #expect(state([route([out])]) == .absent)
    #expect(state([link(8, flags: upAndRunning), route([out])]) == .absent)
  }

  @Test(arguments: [0, 0x1, 0x40, 0x49] as [UInt32])
  func `an interface that is down, without carrier or loopback provides no connectivity`(
    flags: UInt32
  ) {
    #expect(state([link(7, flags: flags), route([attribute(4, bytes(Int32(7)))])]) == .absent)
  }

  @Test(
    arguments: [
      (2, 24, [10, 0, 0, 0], .present),
      (2, 16, [169, 254, 0, 0], .absent), (2, 4, [224, 0, 0, 0], .absent),
      (10, 64, [0xFE, 0x80, 0, 0], .absent), (10, 8, [0xFF, 0], .absent),
      (10, 64, [0x20, 0x01, 0x0D, 0xB8], .present), (10, 7, [0xFC, 0], .present),
    ] as [(UInt8, UInt8, [UInt8], NetworkState)])
  func `link-local addresses provide no connectivity`(
    family: UInt8, prefix: UInt8, destination: [UInt8], expected: NetworkState
  ) {
    let attributes = [attribute(1, destination), attribute(4, bytes(Int32(7)))]
    #expect(
      state([
        link(7, flags: upAndRunning), route(family: family, prefix: prefix, attributes),
      ]) == expected)
  }

  @Test func `local addresses and discarding routes provide no connectivity`() {
    let up = link(7, flags: upAndRunning)
    let out = attribute(4, bytes(Int32(7)))
    #expect(state([up, route(table: 255, [out])]) == .absent)
    // The attribute has the complete table number.
    #expect(state([up, route(table: 252, [out, attribute(15, bytes(UInt32(255)))])]) == .absent)
    #expect(state([up, route(table: 252, [out, attribute(15, bytes(UInt32(1000)))])]) == .present)
    for type: UInt8 in [2, 3, 5, 6, 7, 8] {
      #expect(state([up, route(type: type, [out])]) == .absent, "\(type)")
    }
    #expect(state([up, route(flags: 0x200, [out])]) == .absent)
  }

  @Test func `a multipath route provides connectivity through any of its hops`() {
    func hop(_ link: Int32) -> [UInt8] { bytes(UInt16(8)) + [0, 0] + bytes(link) }
    let hops = route([attribute(9, hop(3) + hop(7))])
    #expect(state([link(7, flags: upAndRunning), hops]) == .present)
    #expect(state([link(3, flags: upAndRunning), hops]) == .present)
    #expect(state([link(4, flags: upAndRunning), hops]) == .absent)
  }

  @Test func `replies to another request are skipped`() {
    let all = message(3, sequence: 4, []) + message(2, sequence: 5, bytes(Int32(-22)))
    #expect(RouteMessage.parse(all, answering: 5) == [.failed(22)])
    #expect(RouteMessage.parse(all, answering: 4) == [.done])
    #expect(RouteMessage.parse(all) == [.done, .failed(22)])
  }

  @Test func `an acknowledgement is not a failure`() {
    #expect(RouteMessage.parse(message(2, bytes(Int32(0)))) == [.other])
    #expect(RouteMessage.parse(message(2, bytes(Int32.min))) == [.failed(.max)])
  }

  @Test(arguments: [UInt32(0), 1, 15, 33, 1000, .max])
  func `a wrong length ends parsing`(length: UInt32) {
    let lie = message(16, length: length, [UInt8](repeating: 0, count: 16))
    #expect(RouteMessage.parse(lie + link(1, flags: 0)) != [])
    #expect(RouteMessage.parse(lie).count == 1 || length == 33)
    #expect(!RouteMessage.parse(lie).contains { if case .failed = $0 { true } else { false } })
  }

  @Test func `a truncated message is never read past its end`() {
    let whole = route([
      attribute(1, [10, 0, 0, 0]), attribute(4, bytes(Int32(7))), attribute(15, bytes(UInt32(254))),
    ])
    for count in 0..<whole.count {
      let cut = Array(whole.prefix(count))
      #expect(RouteMessage.parse(cut) == (count < 4 ? [] : [.other]), "\(count)")
      // The same with the true length in the header.
      guard count >= 16 else { continue }
      let honest = bytes(UInt32(count)) + cut.dropFirst(4)
      let read = RouteMessage.parse(honest)
      #expect(read.count == 1)
      if count < 28 { #expect(read == [.other]) }
    }
  }

  @Test(arguments: [UInt16(0), 3, 9, .max])
  func `an attribute with a wrong length hides itself and those after it`(length: UInt16) {
    let lie = attribute(1, length: length, [10, 0, 0, 0])
    let parsed = RouteMessage.parse(route(prefix: 8, [lie, attribute(4, bytes(Int32(7)))]))
    guard case .route(let read) = parsed.first, parsed.count == 1 else {
      Issue.record("\(parsed)")
      return
    }
    // A length of nine claims only one byte of the next attribute.
    #expect(read.destination.count == (length == 9 ? 5 : 0))
    #expect(read.links.isEmpty)
  }

  @Test func `any bytes are parsed without reading past the end`() {
    let seed = UInt64.random(in: .min ... .max)
    print("netlink seed \(seed)")
    var state = seed
    func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state >> 33
    }
    let whole =
      link(7, flags: upAndRunning) + route([attribute(9, [8, 0, 0, 0, 7, 0, 0, 0])])
      + message(3, [])
    for _ in 0..<5000 {
      var broken = whole
      for _ in 0...(next() % 4) { broken[Int(next()) % broken.count] = UInt8(next() & 0xFF) }
      #expect(RouteMessage.parse(broken).count <= broken.count / 16 + 1)
    }
  }
}

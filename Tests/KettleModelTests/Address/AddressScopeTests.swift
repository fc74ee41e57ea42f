import KettleModel
import Testing

struct AddressScopeTests {
  struct Block: Sendable, CustomTestStringConvertible {
    var first: String
    var last: String
    var scope: AddressScope
    /// The adjacent addresses; nil at the end of the address space.
    var before: AddressScope?
    var after: AddressScope?
    var testDescription: String { first }

    init(
      _ first: String, _ last: String, _ scope: AddressScope, after: AddressScope? = .global,
      before: AddressScope? = .global
    ) {
      self.first = first
      self.last = last
      self.scope = scope
      self.before = before
      self.after = after
    }
  }

  private static let ipv4: [Block] = [
    Block("0.0.0.0", "0.255.255.255", .unspecified, before: nil),
    Block("10.0.0.0", "10.255.255.255", .privateUse),
    Block("100.64.0.0", "100.127.255.255", .shared),
    Block("127.0.0.0", "127.255.255.255", .loopback),
    Block("169.254.0.0", "169.254.255.255", .linkLocal),
    Block("172.16.0.0", "172.31.255.255", .privateUse),
    Block("192.0.0.0", "192.0.0.255", .reserved),
    Block("192.0.2.0", "192.0.2.255", .reserved),
    Block("192.88.99.0", "192.88.99.255", .reserved),
    Block("192.168.0.0", "192.168.255.255", .privateUse),
    Block("198.18.0.0", "198.19.255.255", .reserved),
    Block("198.51.100.0", "198.51.100.255", .reserved),
    Block("203.0.113.0", "203.0.113.255", .reserved),
    Block("224.0.0.0", "239.255.255.255", .multicast, after: .reserved),
    Block("240.0.0.0", "255.255.255.254", .reserved, after: .broadcast, before: .multicast),
    Block("255.255.255.255", "255.255.255.255", .broadcast, after: nil, before: .reserved),
  ]

  private static let ipv6: [Block] = [
    Block("::", "::", .unspecified, after: .loopback, before: nil),
    Block("::1", "::1", .loopback, after: .unspecified, before: .unspecified),
    Block(
      "64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff", .privateUse, after: .reserved,
      before: .reserved),
    Block("2001::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", .reserved),
    Block("2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", .reserved),
    Block(
      "2000::", "2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff", .global, after: .reserved,
      before: .reserved),
    Block("3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff", .reserved),
    Block(
      "3fff:1000::", "3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", .global, after: .reserved,
      before: .reserved),
    Block(
      "fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", .uniqueLocal, after: .reserved,
      before: .reserved),
    Block(
      "fe80::", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff", .linkLocal, after: .privateUse,
      before: .reserved),
    Block(
      "fec0::", "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", .privateUse, after: .multicast,
      before: .linkLocal),
    Block(
      "ff00::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", .multicast, after: nil,
      before: .privateUse),
  ]

  private func scope(_ text: String) throws -> AddressScope {
    AddressScope(of: try #require(IPAddress(text)))
  }

  private func moved(_ address: IPAddress, by step: Int) -> IPAddress {
    switch address {
    case .v4(let value): return .v4(step > 0 ? value &+ 1 : value &- 1)
    case .v6(let high, let low):
      let next = step > 0 ? low &+ 1 : low &- 1
      let carries = step > 0 ? next == 0 : low == 0
      return .v6(carries ? (step > 0 ? high &+ 1 : high &- 1) : high, next)
    }
  }

  // Fault 54
  @Test(arguments: ipv4 + ipv6)
  func `each block of the registries has the right bounds`(block: Block) throws {
    let first = try #require(IPAddress(block.first))
    let last = try #require(IPAddress(block.last))
    #expect(AddressScope(of: first) == block.scope)
    #expect(AddressScope(of: last) == block.scope)
    #expect(block.before.map { AddressScope(of: moved(first, by: -1)) == $0 } ?? true)
    #expect(block.after.map { AddressScope(of: moved(last, by: 1)) == $0 } ?? true)
  }

  // Fault 54
  @Test(arguments: ipv4)
  func `an IPv4 address in an IPv6 address keeps its scope`(block: Block) throws {
    for text in [block.first, block.last] {
      guard case .v4(let address)? = IPAddress(text) else { throw Missing() }
      let low = UInt64(address)
      let forms: [IPAddress] = [
        .v6(0, 0xFFFF_0000_0000 | low), .v6(0, 0xFFFF_0000_0000_0000 | low),
        .v6(0x0064_FF9B_0000_0000, low), .v6(0x2002_0000_0000_0000 | low << 16, 0),
        .v6(0x2002_0000_0000_0000 | low << 16 | 0xFFFF, .max),
      ]
      for form in forms { #expect(AddressScope(of: form) == block.scope, "\(form)") }
      // ::0 and ::1 have scopes of their own.
      if low > 1 { #expect(AddressScope(of: .v6(0, low)) == block.scope) }
      // Any other prefix hides nothing.
      #expect(AddressScope(of: .v6(0x2606_4700_0000_0000, low)) == .global)
    }
  }

  private struct Missing: Error {}

  @Test func `public addresses are public`() throws {
    for text in [
      "1.1.1.1", "8.8.8.8", "93.184.215.14", "172.15.255.255", "172.32.0.0", "192.169.0.1",
      "2606:4700::6810:85e5", "2a00:1450:4001:82a::200e", "::ffff:8.8.8.8", "::8.8.8.8",
      "64:ff9b::8.8.8.8", "2002:808:808::1",
    ] {
      #expect(try scope(text) == .global, "\(text)")
    }
  }

  @Test func `only public addresses have world reach`() {
    #expect(AddressScope.allCases.filter { $0.reach == .world } == [.global])
    #expect(AddressScope.allCases.filter { $0.reach == .machine } == [.unspecified, .loopback])
  }
}

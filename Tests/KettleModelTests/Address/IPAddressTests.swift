import KettleModel
import Testing

struct IPAddressTests {
  @Test(arguments: [
    ("0.0.0.0", "0.0.0.0"), ("255.255.255.255", "255.255.255.255"), ("8.8.8.8", "8.8.8.8"),
    ("::", "::"), ("::1", "::1"), ("1::", "1::"), ("2001:DB8::00AB", "2001:db8::ab"),
    ("1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"), ("1:0:0:4:0:0:0:8", "1:0:0:4::8"),
    ("0:0:0:0:0:0:0:1", "::1"), ("1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"),
    ("::ffff:127.0.0.1", "::ffff:7f00:1"), ("1:2:3:4:5:6:9.10.11.12", "1:2:3:4:5:6:90a:b0c"),
  ])
  func `an address has one canonical text form`(text: String, canonical: String) throws {
    let address = try #require(IPAddress(text))
    #expect(address.description == canonical)
    #expect(IPAddress(canonical) == address)
  }

  @Test(arguments: [
    "", ".", "1", "127.1", "1.2.3", "1.2.3.4.5", "1.2.3.256", "01.2.3.4", "0x7f.0.0.1", "1.2.3.+4",
    "1.2.3.-0", "1.2.3.4 ", "１.2.3.4", "1.2.3.4.", ":", ":::", "1::2::3", "1:2:3:4:5:6:7",
    "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7:8::", "12345::", "g::", "+1::", "-0::", "::1%eth0", "[::1]",
    "1.2.3.4::", "::1.2.3.4:5", "1::1.2.3", "localhost", "::ffff:1.2.3.4.5",
  ])
  func `anything else is not an address`(text: String) { #expect(IPAddress(text) == nil) }

  @Test func `bytes and text name the same address`() throws {
    #expect(IPAddress(bytes: [127, 0, 0, 1] as [UInt8]) == IPAddress("127.0.0.1"))
    let bytes: [UInt8] = [0x20, 1, 0xD, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4]
    #expect(IPAddress(bytes: bytes) == IPAddress("2001:db8::102:304"))
    #expect(IPAddress(bytes: bytes.dropLast()) == nil)
    #expect(IPAddress(bytes: [] as [UInt8]) == nil)
  }

  @Test func `an address is in a network if the prefix bits are equal`() throws {
    let network = try #require(IPAddress("10.1.0.0"))
    let inside = try #require(IPAddress("10.1.255.255"))
    let outside = try #require(IPAddress("10.2.0.0"))
    #expect(inside.isIn(network, bitCount: 16))
    #expect(!outside.isIn(network, bitCount: 16))
    #expect(outside.isIn(network, bitCount: 0))
    #expect(!inside.isIn(network, bitCount: 32))
    let wide = try #require(IPAddress("2001:db8::"))
    let near = try #require(IPAddress("2001:db8::1"))
    #expect(near.isIn(wide, bitCount: 127))
    #expect(!near.isIn(wide, bitCount: 128))
    #expect(near.isIn(wide, bitCount: 0))
    #expect(!near.isIn(network, bitCount: 0))
  }
}
